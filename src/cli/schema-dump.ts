import { writeFile } from 'node:fs/promises';
import { schemaDump } from '../lib/server/migrate/dump';
import { databaseCommand } from './database-command';

const FILE = 'docs/schema.sql';

await databaseCommand(async (client) => {
  await writeFile(FILE, await schemaDump(client));
  console.log(`wrote ${FILE}`);
  return 0;
});
