import { version } from '$app/environment';
import { json } from '@sveltejs/kit';
import { openApiDocument } from '$lib/contract/openapi';
import type { RequestHandler } from './$types';

const document = openApiDocument(version);

export const GET: RequestHandler = () => json(document);
