/** The schemas of requests and answers by name, for the components of OpenAPI. */
import * as v from 'valibot';
import * as accuracy from './accuracy';
import * as actuals from './actuals';
import * as alerts from './alerts';
import * as audit from './audit';
import * as columns from './columns';
import * as comments from './comments';
import * as current from './current';
import * as events from './events';
import * as files from './files';
import * as forecasts from './forecasts';
import * as formulas from './formulas';
import * as imports from './imports';
import * as loads from './loads';
import * as locks from './locks';
import * as log from './log';
import * as lookups from './lookups';
import * as me from './me';
import * as measures from './measures';
import * as movement from './movement';
import * as operations from './operations';
import * as previews from './previews';
import * as primitives from './primitives';
import * as profiles from './profiles';
import * as published from './published';
import * as refreshes from './refreshes';
import * as replays from './replays';
import * as reviews from './reviews';
import * as shapes from './shapes';
import * as slices from './slices';
import * as sources from './sources';
import * as storedLayout from './stored-layout';
import * as territories from './territories';
import * as tokens from './tokens';
import * as versions from './versions';
import * as views from './views';

/** Modules whose exported schemas have names in OpenAPI. */
const MODULES: readonly object[] = [
  accuracy,
  actuals,
  alerts,
  audit,
  columns,
  comments,
  current,
  events,
  files,
  forecasts,
  formulas,
  imports,
  loads,
  locks,
  log,
  lookups,
  me,
  measures,
  movement,
  operations,
  previews,
  primitives,
  profiles,
  published,
  refreshes,
  replays,
  reviews,
  shapes,
  slices,
  sources,
  storedLayout,
  territories,
  tokens,
  versions,
  views,
];

const isSchema = (value: unknown): value is v.GenericSchema =>
  v.is(v.object({ kind: v.literal('schema') }), value);

/** The exported schemas whose names begin with a capital letter, by name. Each schema has one name. */
export const NAMED_SCHEMAS: ReadonlyMap<string, v.GenericSchema> = new Map(
  MODULES.flatMap((module) =>
    Object.entries(module).flatMap(([name, value]): [string, v.GenericSchema][] =>
      /^[A-Z][a-z]/.test(name) && isSchema(value) ? [[name, value]] : [],
    ),
  ),
);
