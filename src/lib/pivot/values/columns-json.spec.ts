import { expect, it } from 'vitest';
import { parseColumns } from './columns-json';

it('keeps columns of the same name apart, and reads every kind of value', () => {
  const text = String.raw`{"__ROW_PATH__":[[],["a]\"",null]],"null|v":[1.5,null],"null|v":[-2,"}"],"\"q\\":[]}`;
  expect(parseColumns(text)).toEqual([
    ['__ROW_PATH__', [[], ['a]"', null]]],
    ['null|v', [1.5, null]],
    ['null|v', [-2, '}']],
    ['"q\\', []],
  ]);
  expect(parseColumns('{}')).toEqual([]);
});
