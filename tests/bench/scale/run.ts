/**
 * Scale: `npm run bench:scale -- rows --up-to=30000000` and `npm run bench:scale -- planners [--minutes=2]`.
 * Writes the tables of docs/scale.md.
 *
 * Works on the database of the `DB_*` variables, where it creates tables; without these variables on a
 * separate PostgreSQL. If the database has Citus, each size is measured local and distributed. Needs a build,
 * an idle machine, and disk space: 200 bytes per row and kind of storage. Not part of `npm test`.
 */
import { parseArgs } from 'node:util';
import { readFigures, writeDocument, writeFigures } from './document';
import { measureCrowds } from './planners';
import { measureRows, type RowsFigures } from './rows';

const SIZES = [100_000, 1_000_000, 10_000_000, 30_000_000, 100_000_000];

/** One version shared by all, and versions of twenty people each. */
const CROWDS = [
  { planners: 20, versions: 1 },
  { planners: 50, versions: 1 },
  { planners: 100, versions: 1 },
  { planners: 200, versions: 1 },
  { planners: 200, versions: 10 },
];

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    'up-to': { type: 'string', default: '30000000' },
    minutes: { type: 'string', default: '2' },
  },
});

const figures = readFigures();
const [what] = positionals;
if (what === 'rows') {
  const sizes = SIZES.filter((rows) => rows <= Number(values['up-to']));
  await measureRows(sizes, (measured) => {
    console.log(JSON.stringify(measured));
    const isSame = ({ rows, shards }: RowsFigures) =>
      rows === measured.rows && shards === measured.shards;
    // Figures of the other kind of storage stay.
    figures.rows = [...figures.rows.filter((each) => !isSame(each)), measured];
    writeFigures(figures);
  });
} else if (what === 'planners') {
  figures.crowds = [];
  await measureCrowds(CROWDS, 1_000_000, Number(values.minutes), (measured) => {
    console.log(JSON.stringify(measured));
    figures.crowds.push(measured);
    writeFigures(figures);
  });
} else {
  console.error('usage: npm run bench:scale -- rows | planners');
  process.exitCode = 1;
}
await writeDocument(figures);
