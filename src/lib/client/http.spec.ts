import { describe, expect, it } from 'vitest';
import { ApiError, readLines, Unanswered } from './http';

/** A response whose body arrives in these parts. */
const arriving = (...parts: string[]) =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
        controller.close();
      },
    }),
  );

const isProgress = (line: unknown) => Array.isArray(line);

describe('An answer in lines', () => {
  it('is the first line that is no progress, wherever its parts are cut', async () => {
    const text = '[0]\n[1]\n{"name":"Süd"}\n';
    for (let cut = 0; cut <= text.length; cut++) {
      const lines: unknown[] = [];
      const answer = await readLines(arriving(text.slice(0, cut), text.slice(cut)), {}, (line) => {
        lines.push(line);
        return isProgress(line);
      });
      expect([cut, answer]).toEqual([cut, { name: 'Süd' }]);
      expect(lines).toEqual([[0], [1], { name: 'Süd' }]);
    }
  });

  it('can be an error with its status', async () => {
    const refused = '[0]\n{"status":422,"error":"It has no rows","field":"by"}\n';
    const reading = readLines(arriving(refused), {}, isProgress);
    await expect(reading).rejects.toEqual(
      expect.objectContaining({ status: 422, message: 'It has no rows', field: 'by' }),
    );
    await expect(reading).rejects.toBeInstanceOf(ApiError);
  });

  it('can leave the outcome unknown', async () => {
    const lost = '[0]\n{"status":500,"error":"The database was lost","retry_after":1}\n';
    const reading = readLines(arriving(lost), {}, isProgress);
    await expect(reading).rejects.toEqual(
      expect.objectContaining({ status: 500, outcomeUnknown: true }),
    );
    await expect(reading).rejects.toBeInstanceOf(Unanswered);
  });

  it.each(['', '[0]\n', '[0]\n{"name":'])('is cut after %j', async (text) => {
    const reading = readLines(arriving(text), {}, isProgress);
    await expect(reading).rejects.toBeInstanceOf(Unanswered);
  });
});
