import { describe, expect, it } from 'vitest';
import type { Layout } from '../../contract/stored-layout';
import { withLacking } from './lacking-columns';

const wanted: Layout = {
  columns: ['Sales', 'Margin %', 'Quantity', 'Price'],
  sort: [['Margin %', 'desc']],
  expressions: { Month: 'a', Best: 'b' },
};
const opened: Layout = { columns: ['Sales', 'Quantity'], sort: [], expressions: { Month: 'a' } };
const names = ['Margin %', 'Price', 'Best'];
const shown = (changes: Layout) =>
  withLacking({ ...opened, depth: 1, ...changes }, { wanted, opened, names });

describe('withLacking', () => {
  it('restores columns, sort order and expressions unless the layout was changed', () => {
    expect(shown({})).toEqual({ ...wanted, depth: 1 });
  });

  it('restores limits unless they were changed', () => {
    const limits = { Best: { keep: 'top', number: 3, by: 'Margin %' } } as const;
    const of = (changes: Layout) =>
      withLacking({ ...opened, ...changes }, { wanted: { ...wanted, limits }, opened, names });
    expect(of({}).limits).toEqual(limits);
    const other = { City: { keep: 'top', number: 3, by: 'Sales' } } as const;
    expect(of({ limits: other }).limits).toEqual(other);
  });

  it('keeps other columns and another sort order, and puts each column after the one it followed', () => {
    const changed = shown({ columns: ['Cost', 'Quantity', 'Sales'], sort: [['Sales', 'asc']] });
    expect(changed.columns).toEqual(['Cost', 'Quantity', 'Price', 'Sales', 'Margin %']);
    expect(changed.sort).toEqual([['Sales', 'asc']]);
  });

  it('puts a column first if it was the first, and adds none twice', () => {
    const first = { ...wanted, columns: ['Margin %', 'Sales'] };
    const of = (columns: string[]) =>
      withLacking({ columns }, { wanted: first, opened, names }).columns;
    expect(of(['Quantity'])).toEqual(['Margin %', 'Quantity']);
    expect(of(['Margin %', 'Quantity'])).toEqual(['Margin %', 'Quantity']);
  });

  it('keeps the columns on screen if the wanted layout names none', () => {
    const none = withLacking(opened, { wanted: {}, opened, names });
    expect(none).toEqual({ ...opened });
  });
});
