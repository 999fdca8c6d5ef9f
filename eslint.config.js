import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import { FLOORS } from './lint/floors.js';
import svelteConfig from './svelte.config.js';

/**
 * The arrows of the house, held by lint: which folder may not import what.
 * Server: endpoints → services → {db, sql, arrow} → {contract, errors}.
 * Browser: routes → components → plan → {pivot, client} → contract; the engine in `pivot` knows
 * neither the client nor the plan. Both sides read workbooks with `xlsx` and numbers with `numbers`, which know
 * nothing else.
 */
const anyOf = (...folders) => folders.map((folder) => `**/${folder}/**`);
const forbid = (files, patterns, paths = []) => ({
  files,
  ignores: ['**/*.spec.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: patterns.map((p) => (typeof p === 'string' ? { group: [p] } : p)), paths },
    ],
  },
});
const kit = ['$app/*', '$env/*', '@sveltejs/kit', '@sveltejs/kit/*'];
const drivers = ['pg', 'pg/*'];
const io = ['node:fs', 'node:fs/*', 'node:net', 'node:http', 'node:child_process'];
const engine = ['@finos/*'];

/** One place writes forecast rows and log entries: services/entries. */
const rowWriting = {
  group: ['**/log/entries'],
  message: 'Write and take out entries through the writers in services/entries.',
};

/** One place decides which forecast rows a sender may read: services/version/forecast-version.ts. */
const unlimited = {
  group: ['**/readable-rows'],
  message: 'Read the `rows` of a ForecastVersion, which are those that the sender may read.',
};

/** Few can answer for text being SQL: see sql/trusted.ts. */
const marking = {
  group: ['**/trusted'],
  message: 'Quote it with the functions of sql/quote.ts; what marks text as SQL says who else may.',
};

const browser = ['client', 'pivot', 'plan', 'components'];
const inServices = [...anyOf(...browser), ...kit, ...drivers, rowWriting, marking, unlimited];
const inDb = [
  ...anyOf('services', ...browser),
  ...kit,
  './entries',
  '../log/entries',
  marking,
  unlimited,
];
const inComponents = ['**/server/**', ...engine, ...drivers];
const inPivot = ['**/server/**', ...anyOf('client', 'plan', 'components'), ...kit, ...drivers];
const inPlan = ['**/server/**', ...anyOf('components'), ...kit, ...engine, ...drivers];

/** What no file of a folder with rooms may import. */
const outside = {
  pivot: () => inPivot,
  'pivot/grid': () => inRoom('pivot', 'grid'),
  plan: () => inPlan,
  'components/pivot': () => inComponents,
  'server/db': () => inDb,
  'server/services': () => inServices,
};

/** What the files of a room may not import: what their folder may not, and the rooms that are not below. */
const inRoom = (folder, room) => {
  const floors = FLOORS[folder];
  const floor = floors.findIndex((each) => each.includes(room));
  const closed = [
    ...floors[floor].filter((each) => each !== room),
    ...floors.slice(floor + 1).flat(),
  ];
  return [
    ...outside[folder](),
    ...closed.map((each) => ({
      regex: `^(\\.\\.?/)+${each}(/|$)`,
      message: `src/lib/${folder}/${room} is below ${each}, or beside it.`,
    })),
  ];
};
const rooms = Object.entries(FLOORS).flatMap(([folder, floors]) =>
  floors
    .flat()
    .map((room) =>
      forbid(
        [`src/lib/${folder}/${room}/**`, `src/lib/${folder}/${room}.ts`],
        inRoom(folder, room),
      ),
    ),
);

const arrows = [
  forbid(
    ['src/lib/contract/**'],
    ['**/server/**', ...anyOf('client', 'pivot', 'plan', 'components'), ...kit, ...drivers],
  ),
  forbid(
    ['src/lib/{xlsx,numbers}/**'],
    [
      '**/server/**',
      ...anyOf('client', 'contract', 'pivot', 'plan', 'components'),
      ...kit,
      ...engine,
      ...drivers,
      ...io,
    ],
  ),
  forbid(
    ['src/lib/client/**'],
    ['**/server/**', ...anyOf('pivot', 'plan', 'components'), ...kit, ...engine, ...drivers],
  ),
  forbid(['src/lib/pivot/**'], inPivot),
  forbid(['src/lib/plan/**'], inPlan),
  forbid(['src/lib/components/**'], inComponents),
  forbid(
    ['src/routes/**/*.svelte', 'src/routes/**/+page.ts', 'src/routes/**/+layout.ts'],
    ['**/server/**', ...engine, ...drivers],
  ),
  forbid(
    ['src/routes/**/+server.ts', 'src/lib/server/endpoints/**'],
    [
      ...anyOf('server/db', 'server/sql', 'server/arrow', 'client', 'pivot', 'plan', 'components'),
      ...drivers,
    ],
  ),
  forbid(['src/lib/server/services/**'], inServices),
  forbid(['src/lib/server/db/**'], inDb),
  ...rooms,
  forbid(
    ['src/lib/server/services/version/{forecast-version,territory}.ts'],
    inRoom('server/services', 'version').filter((each) => each !== unlimited),
  ),
  forbid(
    ['src/lib/server/services/entries/{open-entry,trial,writer}.ts'],
    inRoom('server/services', 'entries').filter(
      (each) => each !== rowWriting && each !== unlimited,
    ),
  ),
  forbid(
    ['src/lib/server/db/connection/row-schemas.ts'],
    inRoom('server/db', 'connection').filter((each) => each !== marking),
  ),
  forbid(
    ['src/lib/server/sql/**', 'src/lib/server/arrow/**'],
    [
      ...anyOf('services', 'db', 'client', 'pivot', 'plan', 'components'),
      ...kit,
      ...drivers,
      ...io,
      marking,
    ],
  ),
  forbid(
    ['src/lib/server/statistics/**'],
    [
      ...anyOf('services', 'db', 'sql', 'arrow', 'client', 'pivot', 'plan', 'components'),
      ...kit,
      ...drivers,
      ...io,
    ],
  ),
  forbid(
    ['src/lib/server/files/**'],
    [
      ...anyOf('services', 'db', 'sql', 'arrow', 'client', 'pivot', 'plan', 'components'),
      ...kit,
      ...drivers,
      ...io,
    ],
  ),
  forbid(
    ['src/lib/server/sql/{quote,guard,tokens,readable-rows}.ts'],
    [
      ...anyOf('services', 'db', 'client', 'pivot', 'plan', 'components'),
      ...kit,
      ...drivers,
      ...io,
    ],
  ),
  forbid(
    ['src/lib/server/migrate/**'],
    [...anyOf('services', 'client', 'pivot', 'plan', 'components'), ...kit, marking],
  ),
  forbid(
    ['src/lib/server/*.ts', 'src/lib/server/http/**'],
    [...anyOf('services', 'client', 'pivot', 'plan', 'components'), ...kit, ...drivers],
  ),
  forbid(['src/hooks.*.ts', 'src/cli/**'], [...drivers, rowWriting, marking]),
];

export default ts.config(
  { ignores: ['build/', '.svelte-kit/', '.demo/', 'test-results/', 'playwright-report/'] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser, ...globals.node } },
    rules: {
      'no-undef': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: {
      parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig },
    },
    rules: { 'svelte/no-navigation-without-resolve': 'off' },
  },
  {
    files: ['src/*.ts', 'src/lib/**/*.{ts,svelte}', 'src/routes/**/*.{ts,svelte}'],
    ignores: ['**/*.spec.ts'],
    rules: {
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/no-non-null-assertion': 'error',
    },
  },
  {
    files: ['src/**/*.{ts,svelte}'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'MethodDefinition[kind="constructor"] > FunctionExpression[params.length>5]',
          message:
            'A constructor takes at most five arguments: cut the class, or group what belongs together.',
        },
        { selector: 'PrivateIdentifier', message: 'Write `private name`, as everywhere.' },
      ],
    },
  },
  { files: ['src/lib/**/*.{ts,svelte}'], rules: { 'max-lines': ['error', 800] } },
  ...arrows,
);
