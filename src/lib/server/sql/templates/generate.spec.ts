import { describe, expect, it } from 'vitest';
import { AppError } from '../../errors';
import type { ColumnType, SourceColumn } from '../forecast-columns';
import { forecastColumns } from '../forecast-columns';
import { sql } from '../quote';
import { trusted } from '../trusted';
import { actualTemplate } from './actual';
import { forecastTemplate, takeOutTemplate } from './forecast';
import { cloneTemplate } from './clone';
import { generateTemplates } from './generate';
import { recodeTemplate } from './recode';
import { importTemplate } from './import';
import { differingQuery, heldByLoad, refreshTemplate } from './refresh';
import { reverseTemplate } from './reverse';
import { scaleEditsTemplate } from './scale-edits';
import { scaleShapeTemplate } from './scale-shape';

const type = (declared: string, more: Partial<ColumnType> = {}): ColumnType => ({
  declared: trusted(declared),
  base: trusted(declared),
  name: declared,
  isEnum: false,
  scale: null,
  comparable: true,
  ...more,
});
const column = (
  cname: string,
  role: SourceColumn['role'],
  columnType: ColumnType | null,
  more: Partial<SourceColumn> = {},
): SourceColumn => ({
  cname,
  role,
  isKey: false,
  inGrain: false,
  dimGroup: null,
  periodColumn: null,
  timeZone: null,
  type: columnType,
  ...more,
});

const SUPERSTORE = { schema: 'public', tname: 'superstore' };
const text = type('text');
const columns = (grain: readonly string[] = []): SourceColumn[] =>
  [
    column('Order Date', 'date', type('date'), { dimGroup: 'order' }),
    column('Order Year', 'dimension', type('integer', { name: 'int4' }), {
      dimGroup: 'order',
      periodColumn: 'cal_year',
    }),
    column('Category', 'dimension', text),
    column('Sub-Category', 'dimension', text),
    column('Region', 'dimension', text),
    column('Sales', 'value', type('numeric(12,4)', { name: 'numeric', scale: 4 })),
    column('Quantity', 'units', type('integer', { name: 'int4' })),
    column('Customer Name', 'filter', text),
    column('Row ID', 'ignore', type('integer', { name: 'int4' })),
  ].map((c) => ({ ...c, inGrain: grain.includes(c.cname) }));

/**
 * One page for both forms of a template. The common part comes first, then both endings in full, so that a
 * change to any byte of either form changes the page. An ending starts at a whole statement or step: at the
 * last line without indentation before the first difference.
 */
function goldenPage(raw: string | undefined, grain: string | undefined): string {
  if (raw === undefined || grain === undefined) return raw ?? grain ?? '';
  if (raw === grain) return `-- Row by row and at a grain alike.\n${raw}`;
  const lines = raw.split('\n');
  const grainLines = grain.split('\n');
  let first = 0;
  while (lines[first] === grainLines[first]) first += 1;
  const end = lines.findLastIndex((line, i) => i <= first && /^\S/.test(line));
  return [
    ...lines.slice(0, end),
    '-- ===== the end, row by row =====',
    ...lines.slice(end),
    '-- ===== the end, at a grain =====',
    ...grainLines.slice(end),
  ].join('\n');
}

describe('the templates of the Superstore source', () => {
  const raw = generateTemplates(SUPERSTORE, columns());
  const grain = generateTemplates(SUPERSTORE, columns(['Order Year', 'Category']));

  it.each(Object.keys(grain) as (keyof typeof grain)[])(
    '%s equals its golden file, raw and at a grain',
    async (operation) => {
      const page = goldenPage(raw[operation], grain[operation]);
      await expect(page).toMatchFileSnapshot(`golden/${operation}.golden.sql`);
    },
  );

  it('have get_agg only if a grain exists', () => {
    expect(Object.keys(raw)).not.toContain('get_agg');
    expect(Object.keys(grain)).toContain('get_agg');
  });
});

/** A load that was refreshed twice, and the time of the next refresh. */
const REFRESHED = {
  held: heldByLoad(3, [
    { logid: 7, at: '2026-11-21T22:43:58.872001Z' },
    { logid: 9, at: '2026-11-22T22:43:58.872002Z' },
  ]),
  at: '2026-11-23T22:43:58.872001Z',
};

describe('the forms of a statement that are not stored', () => {
  const forms = (metadata: readonly SourceColumn[]) => {
    const used = forecastColumns(metadata);
    const by = used.filter((c) => ['Order Date', 'Region'].includes(c.name));
    const [date, region] = ['Order Date', 'Region'].map((name) =>
      used.find((c) => c.name === name),
    );
    if (!date || !region) throw new Error('The columns lack a date or a dimension');
    return {
      'scale.edits': scaleEditsTemplate(used),
      'scale.shape': scaleShapeTemplate(used, { columns: by, unit: 'month' }),
      'recode.share': recodeTemplate(used, 'share'),
      'clone.ramp': cloneTemplate(used, 'leaf'),
      import: importTemplate(used),
      reverse: reverseTemplate(used, sql`pf_logid IN (7, 9)`),
      actual: actualTemplate(SUPERSTORE, used),
      refresh: refreshTemplate(SUPERSTORE, used, { ...REFRESHED, iter: 'baseline' }),
      'refresh.left_alone': differingQuery(
        SUPERSTORE,
        used,
        { ...REFRESHED, date, conditions: [sql`"Region" = '{{logid}}'`, sql`"Region" = 'B'`] },
        { filter_clause: sql`TRUE`, date_offset: sql`'1 year'`, fc_table: sql`pf.fc_1` },
      ),
      forecast: forecastTemplate(SUPERSTORE, used, { by: [region], date, unit: 'month' }),
      'forecast.take_out': takeOutTemplate(used),
    };
  };
  const raw = forms(columns());
  const grain = forms(columns(['Order Year', 'Category']));

  it.each(Object.keys(raw) as (keyof typeof raw)[])(
    '%s equals its golden file, raw and at a grain',
    async (form) => {
      const page = goldenPage(raw[form], grain[form]);
      await expect(page).toMatchFileSnapshot(`golden/${form}.golden.sql`);
    },
  );
});

describe('further measures', () => {
  const metadata = [
    column('Order Date', 'date', type('date')),
    column('Region', 'dimension', text, { inGrain: true }),
    column('Profit', 'measure', type('numeric(12,2)', { name: 'numeric', scale: 2 })),
    column('Sales', 'value', type('numeric(12,4)', { name: 'numeric', scale: 4 })),
    column('Hours', 'measure', type('double precision', { name: 'float8' })),
    column('Quantity', 'units', type('integer', { name: 'int4' })),
  ];
  const used = forecastColumns(metadata);
  const [date, region] = used;
  if (!date || !region) throw new Error('The columns lack a date or a dimension');
  const by = { columns: [date], unit: 'month' as const };
  const statements = {
    ...generateTemplates(SUPERSTORE, metadata),
    'scale.edits': scaleEditsTemplate(used),
    'scale.shape': scaleShapeTemplate(used, by),
    'recode.share': recodeTemplate(used, 'share'),
    reverse: reverseTemplate(used, sql`pf_logid IN (7, 9)`),
    actual: actualTemplate(SUPERSTORE, used),
    refresh: refreshTemplate(SUPERSTORE, used, { ...REFRESHED, iter: 'reference' }),
    forecast: forecastTemplate(SUPERSTORE, used, { by: [region], date, unit: 'month' }),
  };

  it.each(Object.keys(statements) as (keyof typeof statements)[])(
    'are columns of the statement %s',
    async (operation) => {
      await expect(statements[operation]).toMatchFileSnapshot(
        `golden/measures/${operation}.golden.sql`,
      );
    },
  );

  it('are named by literals without tokens', () => {
    const { scale } = generateTemplates(SUPERSTORE, [
      column('Region', 'dimension', text),
      column(String.raw`{{note}} a\'b`, 'measure', type('numeric')),
    ]);
    expect(scale).toContain(String.raw`U&'\007B\007Bnote}} a\\''b'`);
  });
});

it('takes the day of a timestamp in its time zone', async () => {
  const at = type('timestamp with time zone', { name: 'timestamptz' });
  const { baseline } = generateTemplates(SUPERSTORE, [
    column('Ordered', 'date', at, { dimGroup: 'order', timeZone: 'America/Los_Angeles' }),
    column('Order Month', 'dimension', text, { dimGroup: 'order', periodColumn: 'period_key' }),
    column('Shipped', 'date', at),
    column('Paid', 'date', type('timestamp without time zone', { name: 'timestamp' }), {
      timeZone: 'America/Los_Angeles',
    }),
    column('Sales', 'value', type('numeric')),
  ]);
  await expect(baseline).toMatchFileSnapshot('golden/baseline.time_zone.golden.sql');
});

describe('measures of other types', () => {
  const measured = (value: ColumnType, units: ColumnType | null) =>
    generateTemplates(SUPERSTORE, [
      column('Region', 'dimension', text),
      column('Sales', 'value', value),
      ...(units ? [column('Quantity', 'units', units)] : []),
    ]);

  it('does not round floating point', async () => {
    const { scale, clone } = measured(type('double precision', { name: 'float8' }), null);
    await expect(scale).toMatchFileSnapshot('golden/scale.float.golden.sql');
    await expect(clone).toMatchFileSnapshot('golden/clone.float.golden.sql');
  });

  it('takes the residue of each group of doubles', async () => {
    const used = forecastColumns([
      column('Region', 'dimension', text),
      column('Size', 'dimension', type('numeric')),
      column('Sales', 'value', type('double precision', { name: 'float8' })),
    ]);
    const by = used.filter((c) => c.role === 'dimension');
    const statement = scaleShapeTemplate(used, { columns: by, unit: 'day' });
    await expect(statement).toMatchFileSnapshot('golden/scale.shape.float.golden.sql');
  });

  it('writes differences that are not finite', async () => {
    const used = forecastColumns([
      column('Region', 'dimension', text),
      column('Sales', 'value', type('double precision', { name: 'float8' })),
      column('Quantity', 'units', type('integer', { name: 'int4' })),
    ]);
    await expect(actualTemplate(SUPERSTORE, used)).toMatchFileSnapshot(
      'golden/actual.float.golden.sql',
    );
  });

  it('rounds a numeric without a scale by the scales in the slice', async () => {
    const { scale } = measured(type('numeric'), null);
    await expect(scale).toMatchFileSnapshot('golden/scale.numeric.golden.sql');
  });
});

describe('a generation fails', () => {
  const failure = (metadata: SourceColumn[]): AppError => {
    try {
      generateTemplates(SUPERSTORE, metadata);
    } catch (error) {
      if (error instanceof AppError) return error;
    }
    throw new Error('the generation did not fail');
  };

  it('if a grain column is never populated, and names it', () => {
    const error = failure([
      column('Sales', 'value', type('numeric')),
      column('Channel', 'dimension', null, { inGrain: true }),
    ]);
    expect(error.status).toBe(422);
    expect(error.message).toContain('"Channel"');
  });

  it('if a grain has no measure to sum', () => {
    expect(failure([column('Region', 'dimension', text, { inGrain: true })]).status).toBe(422);
  });

  it('if no column identifies a leaf', () => {
    expect(failure([column('Sales', 'value', type('numeric'))]).message).toContain('dimension');
  });
});

it('treats names with braces as names, not as tokens', () => {
  const { get_data: sql } = generateTemplates(SUPERSTORE, [
    column('{{logid}}', 'dimension', text),
    column('Sales', 'value', type('numeric')),
  ]);
  expect(sql).toContain('U&"\\007B\\007Blogid}}"');
});
