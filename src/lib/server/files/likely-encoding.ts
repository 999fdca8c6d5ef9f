/** Compares the encodings that spreadsheets write in Europe and Japan by the texts that they give. */
import type { FileEncoding } from '../../contract/files';

/** The encodings of files that are not Unicode, those first that are likelier. */
export const LEGACY_ENCODINGS = [
  ...(['windows-1252', 'windows-1250', 'windows-1251', 'macintosh', 'shift_jis'] as const),
] as const satisfies readonly FileEncoding[];

/** Texts whose scores are closer than this cannot be told apart. */
const CLOSE = 0.3;

/** The encoding that reads a sample best, and those that read it as well and otherwise. */
export interface LikelyEncoding {
  best: FileEncoding;
  rivals: FileEncoding[];
}

/** Compares the encodings. @param lines lines with bytes beyond ASCII */
export function likelyEncoding(lines: readonly Uint8Array[]): LikelyEncoding {
  const scored = LEGACY_ENCODINGS.flatMap((encoding) => {
    const texts = lines.map((line) => decoded(line, encoding));
    if (texts.includes(null)) return [];
    const text = texts.join('\n');
    return [{ encoding, text, score: scoreOf(text) }];
  }).toSorted((a, b) => b.score - a.score);
  const [best] = scored;
  if (!best) return { best: 'windows-1252', rivals: [] };
  const rivals = scored.filter(
    ({ text, score }) => text !== best.text && score > best.score - CLOSE && score > 0,
  );
  return { best: best.encoding, rivals: rivals.map(({ encoding }) => encoding) };
}

/** The text of a sample; null if it is none in the encoding. */
export function decoded(sample: Uint8Array, encoding: FileEncoding): string | null {
  try {
    // Node reads Windows-1252 as Latin-1 unless it reads a stream. A line may end inside a character.
    return new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: true });
  } catch {
    return null;
  }
}

const JAPANESE = /[\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f]/u;
const KANA = /[\u3040-\u30ff]/u;
const CYRILLIC = /\p{Script=Cyrillic}/u;
const LATIN = /\p{Script=Latin}/u;
const LETTER = /\p{L}/u;
const LOWER = /\p{Ll}/u;
const UPPER = /\p{Lu}/u;
/** Signs that stand in tables of amounts and in quotes. */
const USUAL_SIGN = /[€£¥°%–—’‘“”„«»…§№\u00a0、。「」・（）！？％￥]/u;

/** The mean of what speaks for each character beyond ASCII, from -2 to 2; 0 without any. */
function scoreOf(text: string): number {
  let sum = 0;
  let count = 0;
  const characters = [...text];
  for (const [i, character] of characters.entries()) {
    if (character <= '\x7f') continue;
    count++;
    sum += pointsOf(character, characters[i - 1] ?? ' ', characters[i + 1] ?? ' ');
  }
  return count === 0 ? 0 : sum / count;
}

function pointsOf(character: string, before: string, after: string): number {
  if (/\p{C}/u.test(character)) return -2;
  const beside = before + after;
  if (JAPANESE.test(character)) {
    // The half-width forms are single bytes, which Western texts have too.
    const isHalf = character >= '\uff66';
    if (JAPANESE.test(beside)) return isHalf ? 0.5 : KANA.test(character) ? 2 : 1.5;
    return /[a-z]/i.test(beside) ? -1 : isHalf ? -0.5 : 1;
  }
  if (!LETTER.test(character)) {
    if (LETTER.test(before) && LETTER.test(after)) return character === '’' ? 0.5 : -1.5;
    return USUAL_SIGN.test(character) ? 0.5 : -0.5;
  }
  // A capital letter inside a word of small ones.
  if (UPPER.test(character) && LOWER.test(before)) return -1;
  if (CYRILLIC.test(character)) {
    if (/\p{Script=Latin}/u.test(beside)) return -1;
    return CYRILLIC.test(beside) ? 1.3 : 0;
  }
  if (!LATIN.test(character)) return -0.5;
  return LATIN.test(beside) ? (RARE.test(character) ? 0.6 : /[a-z]/i.test(beside) ? 1 : 0.4) : 0;
}

/** Letters of one encoding that stand for frequent letters of another. */
const RARE = /[ìòõûùæøêðþŸÿıˆˇ˘˙˚˛˝]/u;
