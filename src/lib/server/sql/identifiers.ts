import { Buffer } from 'node:buffer';
import type { Scalar } from '../../contract/primitives';

/**
 * Quotes one identifier, whatever it holds: capitals, spaces, quotes, keywords.
 *
 * A name with two braces would read as a substitution point once it is baked into a template, so
 * its braces are written as Unicode escapes.
 */
export function ident(name: string): string {
  const quoted = name.replaceAll('"', '""');
  if (!name.includes('{{')) return `"${quoted}"`;
  return `U&"${quoted.replaceAll('\\', '\\\\').replaceAll('{', '\\007B')}"`;
}

/** Quotes a table's name with its schema. */
export function qualified(schema: string, table: string): string {
  return `${ident(schema)}.${ident(table)}`;
}

/** Quotes text as a literal; needs standard_conforming_strings, which every connection sets. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A literal of a stated type; null becomes a typed NULL. `type` is SQL text from the catalog. */
export function typedLiteral(value: Scalar | null, type: string): string {
  return `${value === null ? 'NULL' : literal(String(value))}::${type}`;
}

const NAME_BYTES = 63;

/**
 * Name of a version's forecast table (docs/contract/13-forecast-table.md). Where it would pass
 * PostgreSQL's 63 bytes, `tname` is cut at a character boundary and the version id stays whole.
 */
export function forecastTableName(tname: string, versionId: number): string {
  const tail = `_${versionId}`;
  let name = tname;
  while (Buffer.byteLength(`fc_${name}${tail}`) > NAME_BYTES)
    name = [...name].slice(0, -1).join('');
  return `fc_${name}${tail}`;
}

/** A version's forecast table, quoted with its schema. */
export function forecastTable(tname: string, versionId: number): string {
  return qualified('pf', forecastTableName(tname, versionId));
}
