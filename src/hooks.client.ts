import type { HandleClientError } from '@sveltejs/kit';
import { ApiError } from '$lib/client/api';

/** What a failed `load` hands to the error page: the service's own sentence, and its status. */
export const handleError: HandleClientError = ({ error, status, message }) =>
  error instanceof ApiError
    ? { message: error.message, status: error.status }
    : { message: status === 404 ? 'There is no such page.' : message, status };
