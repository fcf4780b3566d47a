import { describe, expect, it } from 'vitest'
import { startEmbeddings } from '../kit/embedding-server.ts'
import { addDocuments, datasetOf } from '../kit/knowledge.ts'
import { sit } from './logged-in.ts'
import { createStaff } from './staff.ts'

describe('the search of the knowledge base with embeddings', () => {
  it('weighs words and meaning as the server does', async () => {
    await using server = await startEmbeddings()
    await using staff = await createStaff({
      embeddings: { provider: 'custom', model: 'm', baseUrl: server.url },
      allowHosts: [new URL(server.url).host],
    })
    const { app, team } = staff.harness
    await addDocuments(app, team, {
      'rye.md': 'The rye loaf rests twelve hours before it is baked in the oven of stone.',
      'oats.md': 'Rye and oats are sown in Thuringia without sugar.',
    })
    const own = await team.reviewer.call('tenant', 'POST /knowledge/search', {
      headers: { 'x-tenant-id': team.tenantId },
      body: { query: 'rye loaf', datasetIds: [await datasetOf(team)] },
    })
    await using terminal = await sit(staff, 'reviewer.1.tenant-1@test.example')
    terminal.press('7')
    await terminal.shows(/› +Tenant 1 +Client documents/)
    terminal.press('/')
    await terminal.shows(/Search .* for/)
    terminal.press('rye loaf', 'enter')
    await terminal.shows(/2 results/)
    for (const [n, { fileName, score }] of own.results.entries()) {
      const line = `${n + 1}. ${fileName} ${score.toFixed(2)}`
      await expect.poll(() => terminal.screen().replace(/ +/g, ' ')).toContain(line)
    }
  })
})
