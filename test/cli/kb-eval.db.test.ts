import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { migrationStatus } from '../../packages/core/src/platform/database/migrate.ts'
import { openTestDatabase } from '../kit/database.ts'
import { type RerankReply, startReranker } from '../kit/rerank-server.ts'
import { loggedIn } from './kb-staff.ts'
import { cli, temporaryFolder } from './process.ts'
import { createStaff } from './staff.ts'

const collection = join(import.meta.dirname, 'collection')

interface Evaluated {
  queries: number
  recall: number
  ndcg: number
  rankSources: string[]
  lost: Array<{ id: string; ndcg: number; missed: string[]; found: string[] }>
}

/** A copy of the collection in a folder of its own, in which nothing is installed. */
function copied() {
  const folder = temporaryFolder()
  const path = join(folder.path, 'bakery')
  cpSync(collection, path, { recursive: true })
  const temporary = join(folder.path, 'tmp')
  mkdirSync(temporary)
  return {
    path,
    temporary,
    run: (...args: string[]) =>
      cli(['kb', 'eval', ...args], { cwd: folder.path, env: { TMPDIR: temporary } }),
    /** With a model that ranks results. */
    runAt: (baseUrl: string, ...args: string[]) =>
      cli(['kb', 'eval', ...args], {
        cwd: folder.path,
        env: {
          TMPDIR: temporary,
          COPYDESK_RERANK_PROVIDER: 'custom',
          COPYDESK_RERANK_MODEL: 'm',
          COPYDESK_RERANK_BASE_URL: baseUrl,
        },
      }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

describe('copydesk kb eval', () => {
  it('measures search in a temporary installation, and leaves nothing of it', async () => {
    using folder = copied()
    const { code, stdout, stderr } = await folder.run('bakery', '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const found = JSON.parse(stdout) as Evaluated
    // Query 1 found the better of its two answers second, query 3 nothing; query 5 has no judgement.
    const first = (1 + 2 / Math.log2(3)) / (2 + 1 / Math.log2(3))
    expect(found).toMatchObject({
      queries: 4,
      top: 10,
      recall: 0.75,
      ndcg: Math.round(((first + 1 + 0 + 1) / 4) * 10_000) / 10_000,
      rankSources: ['keyword'],
    })
    expect(found.lost).toMatchObject([
      { id: 'q3', text: 'breakfast cereal', ndcg: 0, missed: ['oats'], found: [] },
      { id: 'q1', missed: [], found: ['oats', 'nuts'] },
    ])
    expect(readdirSync(folder.temporary)).toEqual([])
    expect(readdirSync(join(folder.path, '..')).toSorted()).toEqual(['bakery', 'tmp'])
  })

  it('works on an empty database, drops its tables, and refuses one with an installation', async () => {
    using folder = copied()
    await using empty = await openTestDatabase({ entities, migrations: [] })
    const before = await migrationStatus(await empty.again())
    expect(before.executed).toEqual([])
    for (const _ of ['once', 'again']) {
      const { code, stdout, stderr } = await folder.run('bakery', '--database', empty.url, '--json')
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toMatchObject({ queries: 4, recall: 0.75, rankSources: ['keyword'] })
    }
    await expect(empty.db.sql.all('select id from tenants', [])).rejects.toThrow('tenants')
    await using used = await openTestDatabase({ entities, migrations })
    const { code, stdout, stderr } = await folder.run('bakery', '--database', used.url)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('--database must name an empty database')
    expect(await used.db.sql.all('select id from tenants', [])).toEqual([])
    expect(readdirSync(folder.temporary)).toEqual([])
  })

  it('prints what was measured and which queries lost', async () => {
    using folder = copied()
    const { code, stdout } = await folder.run('bakery', '--top', '1')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^recall@1 {2}0\.6250\nnDCG@1 {4}0\.6250\n4 queries, ranked by: keyword;\n/)
    expect(stdout).toContain('0.00  q3  breakfast cereal\n      missed among 1: oats\n      found: nothing')
  })

  it('measures what the configured model makes of the results, and nothing where it fails', async () => {
    using folder = copied()
    let reply = (documents: readonly string[]): RerankReply =>
      documents.map((text) => (text.includes('Allergens') ? 0.9 : 0.1))
    await using server = await startReranker(({ body }) => reply(body.documents))
    const plain = await folder.runAt(server.url, 'bakery', '--json')
    expect(JSON.parse(plain.stdout)).toMatchObject({ recall: 0.75 })
    expect(server.calls).toEqual([])
    const { code, stdout, stderr } = await folder.runAt(server.url, 'bakery', '--rerank', '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    // The model puts first what the judgements of query 1 call the better answer.
    expect(JSON.parse(stdout)).toMatchObject({ queries: 4, recall: 0.75, ndcg: 0.75 })
    reply = () => ({ status: 500 })
    const failed = await folder.runAt(server.url, 'bakery', '--rerank')
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toContain('were not ranked by the model')
    const none = await folder.run('bakery', '--rerank')
    expect(none).toMatchObject({ code: 1, stdout: '' })
    expect(none.stderr).toContain('No model ranks results')
    expect(readdirSync(folder.temporary)).toEqual([])
  })

  it('measures a dataset of the server, whose files have the ids as their names', async () => {
    await using staff = await createStaff()
    const folder = join(staff.home, 'files')
    mkdirSync(folder)
    const lines = readFileSync(join(collection, 'corpus.jsonl'), 'utf8').trim().split('\n')
    for (const line of lines.slice(0, 5)) {
      const { _id, title, text } = JSON.parse(line) as Record<string, string>
      writeFileSync(join(folder, `${_id}.md`), `# ${title}\n\n${text}\n`)
    }
    expect(await staff.run(['kb', 'upload', 'files'])).toMatchObject({ code: 0 })
    const login = await loggedIn(staff)
    const args = [
      'kb',
      'eval',
      collection,
      '--dataset',
      'client-documents',
      '--alpha',
      '0',
      '--tenant',
      'tenant 1',
    ]
    const found = await staff.json<Evaluated>(args, login)
    expect(found).toMatchObject({ queries: 4, recall: 0.75, rankSources: ['keyword'] })
    expect(found.lost[0]).toMatchObject({ id: 'q3', missed: ['oats'] })
    const unknown = await staff.run(['kb', 'eval', collection, '--dataset', 'recipes'], login)
    expect(unknown).toMatchObject({ code: 2, stdout: '' })
  })

  it.each<[string, string, string, string]>([
    [
      'is no JSON',
      'corpus.jsonl',
      '{"_id": "a", "text": "x"}\nnothing',
      'corpus.jsonl, line 2 is not an object',
    ],
    ['has no id', 'corpus.jsonl', '{"text": "x"}', 'corpus.jsonl, line 1: expected {"_id"'],
    [
      'names a document twice',
      'corpus.jsonl',
      '{"_id":"a","text":"x"}\n\n{"_id":"a","text":"x"}',
      'line 3: there is',
    ],
    ['has no query', 'queries.jsonl', '{"_id":"q1","text":" "}', 'queries.jsonl, line 1: expected'],
    [
      'is longer than any document',
      'queries.jsonl',
      `{"_id":"q1","text":"${'x'.repeat(1_000_001)}"}`,
      'more than 1000000 characters',
    ],
    ['has two columns', 'qrels.tsv', 'query-id\tcorpus-id\tscore\nq1\toats', 'qrels.tsv, line 2: expected'],
    ['has a judgement that is no number', 'qrels.tsv', 'q1\toats\tgood', 'qrels.tsv, line 1: expected'],
    ['judges other queries only', 'qrels.tsv', 'q9\toats\t1', 'no query that a judgement names'],
  ])('refuses a collection with a line that %s', async (_, file, text, message) => {
    using folder = copied()
    writeFileSync(join(folder.path, file), text)
    const { code, stdout, stderr } = await folder.run('bakery')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(message)
    expect(readdirSync(folder.temporary)).toEqual([])
  })

  it.each<[string[], string]>([
    [['--alpha', '1.5'], '--alpha must be a number from 0 to 1'],
    [['--alpha', 'words'], '--alpha must be a number from 0 to 1'],
    [['--top', '21'], '--top must be a whole number from 1 to 20'],
    [['--tenant', 'rye.example'], '--tenant is for --dataset'],
    [['--dataset', 'website', '--database', 'postgres://x'], 'exclude each other'],
  ])('refuses %j', async (options, message) => {
    using folder = copied()
    const { code, stdout, stderr } = await folder.run('bakery', ...options)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })

  it('says which file is missing', async () => {
    using folder = copied()
    const { code, stderr } = await folder.run('tmp')
    expect(code).toBe(1)
    expect(stderr).toContain('qrels.tsv')
  })
})
