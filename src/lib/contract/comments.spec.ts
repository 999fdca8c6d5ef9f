import { describe, expect, it } from 'vitest';
import { mentionKey, mentionOf, mentionsIn } from './comments';

describe('mentionsIn', () => {
  it.each<[string, string[]]>([
    ['@ann', ['ann']],
    ['Ask @ann, @Bea and @ann.', ['ann', 'bea']],
    ['(@ann) @bea! @cy? @dora: @eve;', ['ann', 'bea', 'cy', 'dora', 'eve']],
    ['@ann.lee@example.com, please', ['ann.lee@example.com']],
    ['@"Ann Lee" and @" Bo "', ['ann lee', 'bo']],
    ['@Jürgen @李雷 @o_o- @a', ['jürgen', '李雷', 'o_o', 'a']],
    ['line one\n@ann', ['ann']],
    ['mail ann@example.com', []],
    ['@ ann, @@, @"", @"no end', []],
    ['@@ann', ['ann']],
    ["@o'hara", ['o']],
    [`@${'x'.repeat(201)} @${'y'.repeat(200)}`, ['y'.repeat(200)]],
  ])('finds the names in %j', (text, names) => {
    expect(mentionsIn(text)).toEqual(names);
  });

  it('compares names without case and Unicode form', () => {
    expect(mentionsIn('@JU\u0308RGEN')).toEqual([mentionKey('Jürgen')]);
  });

  it('takes time in proportion to the text', () => {
    const text = `${'@a.'.repeat(3000)}${' @"'.repeat(300)}`;
    expect(mentionsIn(text).length).toBeLessThan(3);
  });
});

it.each(['ann', 'Ann Lee', 'ann@example.com', 'Öz-gür', 'a.', "O'Neil"])(
  'writes a mention of %j that the service reads as this person',
  (name) => {
    const text = `See ${mentionOf(name)} today`;
    expect(mentionsIn(text)).toEqual(mentionsIn(`@"${name}"`));
    expect(mentionsIn(text)).toHaveLength(1);
  },
);
