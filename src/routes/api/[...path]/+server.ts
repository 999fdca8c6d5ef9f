/** Every path of the API: `src/lib/contract/endpoints` describes its endpoints. */
import { answer } from '$lib/server/endpoints/answer';

export const fallback = answer;
