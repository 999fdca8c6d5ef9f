import { describe, expect, it } from 'vitest';
import { Ledger, type FoundEntry } from './ledger';

const entry = (tag: string, more: Partial<FoundEntry> = {}): FoundEntry => ({
  tag,
  logid: 1,
  version: 0,
  rows: 2,
  cents: 500n,
  units: 0n,
  ...more,
});

/** A ledger in which a scale by 5.00 was requested. */
function scaled(): Ledger {
  const ledger = new Ledger();
  ledger.sent({ tag: 'w1', version: 0, what: 'scale' }, { cents: 500n, units: 0n });
  return ledger;
}

describe('a ledger', () => {
  it('accepts writes that were answered and exist', () => {
    const ledger = scaled();
    ledger.made('w1', 1, { rows: 2 });
    expect(ledger.violations([entry('w1')])).toEqual([]);
    expect(ledger.present(0)).toEqual([{ tag: 'w1', logid: 1 }]);
  });

  it('reports entries that are lost, half written, wrong, duplicated or never requested', () => {
    const ledger = scaled();
    ledger.made('w1', 1, { rows: 2 });
    expect(ledger.violations([])).toEqual(['scale w1 was answered as entry 1, but does not exist']);
    expect(ledger.violations([entry('w1', { rows: 1 })])).toEqual([
      'scale w1 (entry 1) has 1 rows where 2 are due',
    ]);
    expect(ledger.violations([entry('w1', { cents: 499n })])).toEqual([
      'scale w1 (entry 1) has 499 cents where 500 are due',
    ]);
    expect(ledger.violations([entry('w1'), entry('w1', { logid: 2 })])).toEqual([
      'a write was made twice: two entries have its note',
    ]);
    expect(ledger.violations([entry('w1'), entry('x')])).toEqual([
      'entry 1 ("x") was never asked for',
    ]);
  });

  it('expects a refused write to be absent, and accepts an unknown one completely or not at all', () => {
    const refused = scaled();
    refused.refused('w1');
    expect(refused.violations([])).toEqual([]);
    expect(refused.violations([entry('w1')])).toEqual([
      'scale w1 (entry 1) was refused, but exists',
    ]);
    const unknown = scaled();
    unknown.unknown('w1');
    expect(unknown.violations([])).toEqual([]);
    expect(unknown.violations([entry('w1')])).toEqual([]);
    expect(unknown.violations([entry('w1', { cents: 1n })])).toHaveLength(1);
    expect(unknown.violations([entry('w1', { rows: 0 })])).toHaveLength(1);
    expect(scaled().violations([])).toEqual(['scale w1 was never answered']);
  });

  it('expects a removed entry to be gone, and accepts either state if the removal is unknown', () => {
    const ledger = scaled();
    ledger.made('w1', 1);
    ledger.removed('w1', 'maybe');
    expect(ledger.violations([])).toEqual([]);
    expect(ledger.violations([entry('w1')])).toEqual([]);
    expect(ledger.present(0)).toEqual([]);
    ledger.removed('w1', 'yes');
    ledger.removed('w1', 'maybe');
    expect(ledger.violations([entry('w1')])).toEqual([
      'scale w1 (entry 1) was removed, but exists',
    ]);
  });

  it('expects a replaced load to be gone after the answer, and never both loads or half of one', () => {
    const ledger = new Ledger();
    ledger.sent({ tag: 'old', version: 0, what: 'baseline' });
    ledger.made('old', 1);
    ledger.sent({ tag: 'new', version: 0, what: 'baseline', replaces: 'old' });
    ledger.unknown('new');
    expect(ledger.violations([entry('old')])).toEqual([]);
    expect(ledger.violations([entry('new')])).toEqual([]);
    expect(ledger.violations([entry('old'), entry('new')])).toEqual([
      'baseline new and the load that it replaces are both there',
    ]);
    ledger.made('new', 2);
    expect(ledger.violations([entry('old'), entry('new')])).toHaveLength(2);
    expect(ledger.violations([entry('new')])).toEqual([]);
  });

  it('expects the entries before a clear to be gone, and accepts either state of later ones', () => {
    const ledger = new Ledger();
    for (const tag of ['before', 'meanwhile', 'refused']) {
      ledger.sent({ tag, version: 0, what: 'baseline' });
    }
    ledger.sent({ tag: 'scale', version: 0, what: 'scale' });
    ledger.made('before', 1);
    ledger.made('scale', 2);
    ledger.refused('refused');
    ledger.cleared(0, 'baseline', ['before'], true);
    ledger.made('meanwhile', 3);
    expect(ledger.violations([entry('scale')])).toEqual([]);
    expect(ledger.violations([entry('scale'), entry('meanwhile')])).toEqual([]);
    expect(ledger.violations([entry('scale'), entry('before')])).toEqual([
      'baseline before (entry 1) was removed, but exists',
    ]);
    expect(ledger.violations([])).toHaveLength(1);
  });
});
