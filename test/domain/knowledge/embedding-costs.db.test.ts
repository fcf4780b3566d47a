import { describe, expect, it } from 'vitest'
import { embedAgain } from '../../../packages/core/src/domain/knowledge/ingestion/embed-again.ts'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { asNumber } from '../../kit/columns.ts'
import { type EmbeddingServer, startEmbeddings } from '../../kit/embedding-server.ts'
import { createOperator } from '../../kit/operator.ts'
import { addKnowledge } from '../../kit/seeded-settings.ts'
import { datasetFiles } from '../../surfaces/dashboard/dataset-files.ts'
import { parts } from '../agents.ts'

/** Sections that are a chunk each, and more of them than are embedded at a time. */
const long = (name: string) =>
  Array.from({ length: 150 }, (_, n) => `# ${name} ${n}\n\n${'Oats and rye. '.repeat(100)}`).join('\n\n')
const atATime = 64

const textsOf = ({ calls }: EmbeddingServer) => calls.flatMap(({ body }) => body.input)
/** As the server counts them. */
const tokensOf = (server: EmbeddingServer) =>
  textsOf(server).reduce((sum, text) => sum + text.split(/\s+/).length, 0)

/** An instance with embeddings that cost a thousandth of a dollar a token, unless they have no price. */
async function createRig({
  priced = true,
  reply,
}: {
  priced?: boolean
  reply?: Parameters<typeof startEmbeddings>[0]
} = {}) {
  const server = await startEmbeddings(reply)
  const app: TestApp = await createTestApp({
    embeddings: { provider: 'custom', model: 'm', dimensions: 64, baseUrl: server.url },
    allowHosts: [new URL(server.url).host],
  })
  const kit = datasetFiles(app)
  const team = await kit.createTeam()
  const operator = await createOperator(app)
  if (priced) await app.copydesk.asSystem().models.setPrice('m', { input: 1_000, output: 0 })
  return {
    ...kit,
    app,
    server,
    team,
    async limit(spendCapUsd: number | null) {
      const { status } = await operator.send('PATCH', `/admin/v1/tenants/${team.tenantId}`, { spendCapUsd })
      expect(status).toBe(200)
    },
    /** What is told of the tenant's costs. */
    costs: () =>
      team.reviewer.call('cli', 'GET /cost', { query: { tenantId: team.tenantId, groupBy: 'agent' } }),
    start: async (name: string) =>
      (await addKnowledge(team.member, team.datasetId, { [`${name}.md`]: long(name) })).uploadedFiles[0]
        ?.id ?? '',
    chunksOf: async (id: string) =>
      asNumber(
        (
          await app.db.sql.get<{ n: unknown }>(
            'select count(*) as n from knowledge_chunks where file_id = ?',
            [id],
          )
        )?.n,
      ),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

describe('embeddings of documents with a price', () => {
  it('are costs of the tenant, and a text that is known already costs nothing', async () => {
    await using rig = await createRig()
    await rig.ingested(rig.team, { 'oats.md': '# Oats\n\nRolled oats with hazelnuts.' })
    const usd = tokensOf(rig.server) / 1_000
    expect(usd).toBeGreaterThan(0)
    expect(await rig.costs()).toMatchObject({
      totalUsd: usd,
      breakdown: [{ label: 'embedding', costUsd: usd, runs: 1, inputTokens: tokensOf(rig.server) }],
    })
    await rig.ingested(rig.team, { 'again.md': '# Oats\n\nRolled oats with hazelnuts.' })
    expect(await rig.costs()).toMatchObject({ totalUsd: usd })
    // Runs of this kind have all ended: nothing has to be taken back from a process that died.
    expect(await rig.app.db.sql.all('select 1 as one from runs where open = true')).toEqual([])
  })

  it('end at the cap of the tenant with a reason, and go on when it is raised', async () => {
    await using rig = await createRig()
    await using inside = await parts(rig.app)
    await rig.limit(1)
    const first = await rig.start('first')
    await rig.settled(first)
    // The batch that passes the cap is the last.
    expect(await rig.chunksOf(first)).toBe(atATime)
    expect(await rig.statusOf(rig.team, first)).toMatchObject({
      status: 'error',
      errorMessage: expect.stringMatching(
        /has reached its monthly cap of \$1\.00, so no new text is embedded/,
      ),
    })
    const asked = rig.server.calls.length
    const second = await rig.start('second')
    await rig.settled(second)
    expect(await rig.statusOf(rig.team, second)).toMatchObject({ status: 'error' })
    await embedAgain(inside.system())
    expect(rig.server.calls).toHaveLength(asked)
    const alerts = await rig.app.db.sql.all("select 1 as one from event where type = 'budget_alert'")
    expect(alerts).toHaveLength(1)

    await rig.limit(1_000)
    await Promise.all([embedAgain(inside.system()), embedAgain(inside.system())])
    for (const id of [first, second]) {
      await rig.settled(id)
      const state = await rig.statusOf(rig.team, id)
      expect(state).toMatchObject({ status: 'indexed', errorMessage: null })
    }
    // Those of the first batch are not paid for twice.
    expect(textsOf(rig.server)).toHaveLength(new Set(textsOf(rig.server)).size)
    expect(await rig.costs()).toMatchObject({ totalUsd: tokensOf(rig.server) / 1_000 })
    await embedAgain(inside.system())
    expect(await rig.statusOf(rig.team, first)).toMatchObject({ status: 'indexed' })
  })

  it('leave what is searched, and texts that are known, as they are over the cap', async () => {
    await using rig = await createRig()
    const [id = ''] = await rig.ingested(rig.team, { 'oats.md': 'Rolled oats with hazelnuts.' })
    await rig.limit(0.000_001)
    expect(await rig.searchFor(rig.team, 'hazelnuts')).toEqual(['oats.md'])
    await rig.team.member.call('dashboard', 'PATCH /knowledge-base/datasets/:datasetId/files/:fileId', {
      params: { datasetId: rig.team.datasetId, fileId: id },
      body: { reIngest: true },
    })
    await rig.settled(id)
    expect(await rig.statusOf(rig.team, id)).toMatchObject({ status: 'indexed' })
  })

  it('without a price cost nothing, and no cap ends them', async () => {
    await using rig = await createRig({ priced: false })
    await rig.limit(0)
    const [id = ''] = await rig.ingested(rig.team, { 'oats.md': 'Rolled oats' })
    expect(await rig.statusOf(rig.team, id)).toMatchObject({ status: 'indexed' })
    expect(await rig.app.db.sql.all('select 1 as one from runs')).toEqual([])
  })

  it('are estimated where the provider does not count them', async () => {
    await using rig = await createRig({
      reply: ({ body }) => ({
        text: JSON.stringify({
          data: body.input.map((_, index) => ({ index, embedding: Array.from({ length: 64 }, () => 1) })),
        }),
      }),
    })
    await rig.ingested(rig.team, { 'oats.md': 'Rolled oats' })
    const [call] = await rig.app.db.sql.all<{ estimated: unknown; tokens: unknown }>(
      'select estimated, input_tokens as tokens from llm_calls',
    )
    expect(Boolean(call?.estimated)).toBe(true)
    expect(asNumber(call?.tokens)).toBeGreaterThan(0)
  })
})
