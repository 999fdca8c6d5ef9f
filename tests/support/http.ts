import { request } from 'node:http';

/** An answer of the service, read to its end. */
export interface Answer {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
  /** The parsed JSON; undefined if the answer is of another type or has no body. */
  // A test states what it expects of a body by comparing it.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
}

/** Sends requests like any client. Paths are relative to `/api`. */
export interface Api {
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  del(path: string): Promise<Answer>;
  /** Sends unusual requests: odd headers, a body that is not JSON, an abort signal. */
  send(path: string, init: RequestInit): Promise<Answer>;
}

/** @param always headers of every request, such as those that a proxy sets */
export function apiAt(url: string, always: Record<string, string> = {}): Api {
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const headers = { ...always, ...Object.fromEntries(new Headers(init.headers)) };
    const response = await fetch(`${url}/api${path}`, { ...init, headers });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const json = response.headers.get('content-type')?.startsWith('application/json');
    const body = json ? JSON.parse(new TextDecoder().decode(bytes)) : undefined;
    return { status: response.status, headers: response.headers, bytes, body };
  };
  const write = (method: string) => (path: string, body?: unknown) =>
    send(
      path,
      body === undefined
        ? { method }
        : {
            method,
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          },
    );
  return {
    get: (path, headers = {}) => send(path, { headers }),
    post: write('POST'),
    put: write('PUT'),
    patch: write('PATCH'),
    del: write('DELETE'),
    send,
  };
}

/** Sends a path, headers and a body unchanged; fetch would normalize them. */
export function sendAsIs(
  url: string,
  method: string,
  target: string,
  headers: Record<string, string>,
  body = '',
): Promise<{ status: number; text: string; type: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, path: target, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, text, type: answer.headers['content-type'] ?? '' }),
      );
    });
    sent.on('error', reject).end(body);
  });
}
