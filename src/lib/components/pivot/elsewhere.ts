/** A program that reads a version's rows, and the lines to paste into it. */
export interface Recipe {
  program: string;
  lines: string;
}

/**
 * How to read the rows of a version elsewhere.
 *
 * @param url where they are (docs/contract/04-data-loading.md)
 */
export const recipes = (url: string): Recipe[] => [
  {
    program: 'DuckDB',
    lines: `curl -sH 'Accept: text/csv' '${url}' | duckdb -c "FROM read_csv('/dev/stdin')"`,
  },
  {
    program: 'pandas',
    lines: `import pandas as pd\ndf = pd.read_csv('${url}', storage_options={'Accept': 'text/csv'})`,
  },
  {
    program: 'Excel, Power Query',
    lines: `Csv.Document(Web.Contents("${url}", [Headers = [Accept = "text/csv"]]), [Encoding = 65001])`,
  },
];
