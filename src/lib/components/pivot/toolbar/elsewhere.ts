/** A program that reads a version's rows, and the lines to paste into it. */
interface Recipe {
  program: string;
  lines: string;
}

/**
 * Returns for each program the lines to paste that read the rows of a version. They read texts such as NA and
 * null as texts, and do not fail on an empty version. docs/api.md has the same lines; tests/api/recipes.test.ts runs them.
 *
 * @param url of the rows (docs/contract/04-data-loading.md)
 */
export const recipes = (url: string): Recipe[] => [
  {
    program: 'DuckDB',
    lines: `curl -sH 'Accept: text/csv' '${url}' | duckdb -c "FROM read_csv('/dev/stdin', header = true, sample_size = -1)"`,
  },
  {
    program: 'pandas',
    lines: `import pandas as pd\ndf = pd.read_csv('${url}', storage_options={'Accept': 'text/csv'}, keep_default_na=False, na_values=[''], low_memory=False)`,
  },
  {
    program: 'Excel, Power Query',
    lines: `Csv.Document(Web.Contents("${url}", [Headers = [Accept = "text/csv"]]), [Encoding = 65001])`,
  },
];
