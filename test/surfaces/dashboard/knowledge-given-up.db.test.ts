import { describe, expect, it } from 'vitest'
import { giveUpCrawls } from '../../../packages/core/src/domain/knowledge/crawl/run.ts'
import { giveUpFiles } from '../../../packages/core/src/domain/knowledge/ingestion/give-up.ts'
import { parts } from '../../domain/agents.ts'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { addKnowledge } from '../../kit/seeded-settings.ts'
import { startSite } from '../../platform/crawl/site.ts'
import { refusal } from '../refusal.ts'
import { crawled, createCrawlingTeam, startCrawl, textPage } from './crawling.ts'
import { datasetFiles } from './dataset-files.ts'

/** Sets what became of the job of a file or a crawl: given up, or removed. */
const endJob = ({ db }: TestApp, uniqueKey: string, how: 'dead' | 'gone') =>
  db.write((tx) =>
    how === 'gone'
      ? tx.run('delete from job where unique_key = ?', [uniqueKey])
      : tx.run("update job set status = 'dead' where unique_key = ?", [uniqueKey]),
  )

describe('dashboard.knowledge_base.file_status of a file whose job was given up', () => {
  it('ends with a reason, of every stage; what waits or is being worked on stays', async () => {
    await using app = await createTestApp({ worker: false })
    await using inside = await parts(app)
    const kit = datasetFiles(app)
    const team = await kit.createTeam()
    const names = ['pending', 'parsing', 'embedding', 'waiting', 'running', 'by hand', 'gone']
    const { uploadedFiles } = await addKnowledge(
      team.member,
      team.datasetId,
      Object.fromEntries(names.map((name) => [`${name}.md`, `Oats of ${name}`])),
    )
    const idOf = (name: string) => uploadedFiles.find(({ fileName }) => fileName === `${name}.md`)?.id ?? ''
    const set = (name: string, status: string) =>
      app.db.write((tx) =>
        tx.run('update knowledge_files set status = ?, progress = 40 where id = ?', [status, idOf(name)]),
      )
    const keyOf = (name: string) => `knowledge.ingest:${idOf(name)}`
    for (const name of ['pending', 'parsing', 'embedding']) {
      await set(name, name)
      await endJob(app, keyOf(name), 'dead')
    }
    await set('gone', 'embedding')
    for (const name of ['gone', 'by hand']) await endJob(app, keyOf(name), 'gone')
    await set('running', 'embedding')
    await app.db.write((tx) =>
      tx.run("update job set status = 'running' where unique_key = ?", [keyOf('running')]),
    )
    // Two processes at the same time.
    await Promise.all([giveUpFiles(inside.system()), giveUpFiles(inside.system())])
    const told = async (name: string) => {
      const { status, errorMessage } = await kit.statusOf(team, idOf(name))
      return [status, errorMessage]
    }
    const givenUp = ['error', expect.stringMatching(/could not be ingested.*Try it again later/)]
    for (const name of ['pending', 'parsing', 'embedding', 'gone'])
      expect(await told(name), name).toEqual(givenUp)
    expect(await told('waiting')).toEqual(['pending', null])
    expect(await told('by hand')).toEqual(['pending', null])
    expect(await told('running')).toEqual(['embedding', null])
  })

  it('can be ingested when it is asked for again', async () => {
    await using app = await createTestApp()
    await using inside = await parts(app)
    const kit = datasetFiles(app)
    const team = await kit.createTeam()
    const [id = ''] = await kit.ingested(team, { 'oats.md': 'Rolled oats' })
    await app.db.write((tx) => tx.run("update knowledge_files set status = 'parsing' where id = ?", [id]))
    await giveUpFiles(inside.system())
    expect(await kit.statusOf(team, id)).toMatchObject({ status: 'error' })
    // What is searched of it stays meanwhile.
    expect(await kit.searchFor(team, 'oats')).toEqual(['oats.md'])
    await team.member.call('dashboard', 'PATCH /knowledge-base/datasets/:datasetId/files/:fileId', {
      params: { datasetId: team.datasetId, fileId: id },
      body: { reIngest: true },
    })
    await kit.settled(id)
    expect(await kit.statusOf(team, id)).toMatchObject({ status: 'indexed', errorMessage: null })
  })
})

describe('dashboard.knowledge_base.crawl_status of a crawl whose job was given up', () => {
  it.each(['dead', 'gone'] as const)(
    'ends with a reason where the job is %s, and another one can begin',
    async (how) => {
      await using app = await createTestApp({ allowHosts: ['127.0.0.1'] })
      await using inside = await parts(app)
      const team = await createCrawlingTeam(app)
      await using site = await startSite({ '/': textPage('Hearth & Oat', 'A bakery in Bristol.') })
      const scheduleFor = new Date(Date.now() + 86_400_000).toISOString()
      const { crawlJobId } = await startCrawl(team, site, { scheduleFor })
      const status = () =>
        team.member.call('dashboard', 'GET /knowledge-base/datasets/:datasetId/crawl/:crawlJobId/status', {
          params: { datasetId: team.datasetId, crawlJobId },
        })
      await giveUpCrawls(inside.system())
      expect(await status()).toMatchObject({ status: 'queued' })
      expect(await refusal(startCrawl(team, site))).toMatchObject({ status: 409 })
      await app.db.write((tx) => tx.run("update crawls set status = 'running' where id = ?", [crawlJobId]))
      await endJob(app, `knowledge.crawl:${crawlJobId}`, how)
      await Promise.all([giveUpCrawls(inside.system()), giveUpCrawls(inside.system())])
      const end = await status()
      expect(end).toMatchObject({ status: 'failed', completedAt: expect.anything() })
      expect(end.errorMessage).toMatch(/could not be finished.*Start it again later/)
      expect(await crawled(app, team, site)).toMatchObject({ status: 'completed', pagesIndexed: 1 })
    },
  )
})
