import type { HandleClientError } from '@sveltejs/kit';
import { ApiError } from '$lib/client/http';

/** Gives the error page the status and sentence of the service when a `load` fails. */
export const handleError: HandleClientError = ({ error, status, message }) =>
  error instanceof ApiError
    ? { message: error.message, status: error.status }
    : { message: status === 404 ? 'There is no such page.' : message, status };
