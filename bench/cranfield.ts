import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findPostgres } from '../config/postgres.ts'
import type { Bench, Metrics } from './measure.ts'
import { inDatabase } from './postgres.ts'
import { temporaryFolder } from './processes.ts'

const program = fileURLToPath(new URL('../packages/server/src/main.ts', import.meta.url))
const run = promisify(execFile)

/** How well words find in a collection in the files of BEIR, such as Cranfield, which is not part of the repository: `kb eval` on both databases. */
export const cranfield: Bench = {
  name: 'cranfield',
  long: true,
  async run({ folder }, say) {
    if (folder === undefined)
      throw new Error('Name the folder with corpus.jsonl, queries.jsonl and qrels.tsv: --folder PATH')
    const evaluate = (name: string, args: readonly string[] = []) => evaluated(folder, name, args, say)
    const onSqlite = await evaluate('sqlite')
    const postgres = await findPostgres()
    if (postgres.url === undefined) return onSqlite
    try {
      const onPostgres = await inDatabase(postgres.url, (url) => evaluate('postgresql', ['--database', url]))
      return { ...onSqlite, ...onPostgres }
    } finally {
      await postgres.stop()
    }
  },
}

async function evaluated(
  folder: string,
  name: string,
  args: readonly string[],
  say: (line: string) => void,
): Promise<Metrics> {
  using home = temporaryFolder()
  const { stdout } = await run(
    process.execPath,
    ['--conditions=@copydesk/source', program, 'kb', 'eval', folder, '--alpha', '0', '--json', ...args],
    { cwd: home.path, env: { PATH: process.env['PATH'] ?? '', HOME: home.path } },
  )
  const { queries, ndcg, recall } = JSON.parse(stdout) as { queries: number; ndcg: number; recall: number }
  say(`  ${queries} queries on ${name}`)
  return {
    [`cranfield.${name}.words.ndcg`]: { value: ndcg, unit: 'nDCG@10' },
    [`cranfield.${name}.words.recall`]: { value: recall, unit: 'recall@10' },
  }
}
