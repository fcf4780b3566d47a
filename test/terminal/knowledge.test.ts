import { describe, expect, it } from 'vitest'
import { addKnowledge } from '../kit/seeded-settings.ts'
import { startSite } from '../platform/crawl/site.ts'
import { crawled, textPage } from '../surfaces/dashboard/crawling.ts'
import { sit } from './logged-in.ts'
import { createStaff, type Staff } from './staff.ts'

const reviewer = 'reviewer.1.tenant-1@test.example'
const member = 'member.1.tenant-1@test.example'
const longName = 'Everything about our rye bread, its flour, its sourdough and its twelve hours of rest.md'

const datasetOf = async ({ harness }: Staff, name: string) => {
  const { data } = await harness.team.member.call('dashboard', 'GET /knowledge-base/datasets')
  return data.find((each) => each.name === name)?.id ?? ''
}

/** Adds files to the documents of the tenant, and waits until their ingestion has ended. */
async function ingested(staff: Staff, files: Parameters<typeof addKnowledge>[2]) {
  const { team, app } = staff.harness
  await addKnowledge(team.member, await datasetOf(staff, 'Client documents'), files)
  const open = "select 1 as one from knowledge_files where status not in ('indexed', 'error')"
  await app.until(async () => (await app.db.sql.all(open)).length === 0, 'the files are ingested')
}

const documents = {
  [longName]: '# Rye\n\nThe rye loaf rests twelve hours.',
  'broken.pdf': '%PDF-1.7\nnothing',
}

describe('the knowledge base', () => {
  it('lists datasets and their files, and finds what they say', async () => {
    await using staff = await createStaff()
    await ingested(staff, documents)
    await using terminal = await sit(staff, reviewer)
    terminal.press('7')
    await terminal.shows(/^copydesk 3 datasets {2}2 files/)
    await terminal.shows(/› +Tenant 1 +Client documents +2 +1 +active/)
    terminal.press('enter')
    await terminal.shows(/Client documents {2}Tenant 1 {2}2 files/)
    await terminal.shows(/› +broken\.pdf .*error .*This file is damaged/)
    await terminal.shows(/Everything about our rye bread.* indexed +1/)
    terminal.press('enter')
    await terminal.shows(/status +error\nreason +This file is damaged/)
    await terminal.shows(/source +upload/)
    terminal.press('q')
    await terminal.hides('reason   This')
    terminal.press('/')
    await terminal.shows('Search Client documents for')
    terminal.press('rye loaf', 'enter')
    await terminal.shows(/“rye loaf” {2}Client documents {2}1 result/)
    await terminal.shows(/1\. Everything about our rye bread.* › Rye {2}[01]\.\d\d\n[^]*rests twelve hours/)
    await terminal.resize(60, 24)
    await terminal.shows(/1\. Everything about our .*… › Rye {2}[01]\.\d\d\n/)
    terminal.press('/')
    await terminal.shows('Search Client documents for')
    terminal.press('ctrl+u', 'plutonium', 'enter')
    await terminal.shows('Nothing was found.')
    terminal.press(':', 'kb search twelve', 'enter')
    await terminal.shows(/\/kb search twelve[^]*rests twelve hours/)
  })

  it('shows the last crawl of a website, and why pages are missing', async () => {
    await using staff = await createStaff()
    await using site = await startSite({
      '/': textPage('Hearth & Oat', 'A bakery.', ['/oats', '/gone', '/prices.pdf']),
      '/oats': textPage('Morning Oats', 'Rolled oats with hazelnuts.'),
    })
    const { team, app } = staff.harness
    await crawled(app, { ...team, datasetId: await datasetOf(staff, 'Website') }, site)
    await using terminal = await sit(staff, member, {}, 80)
    terminal.press('7')
    await terminal.shows(/› +Client documents/)
    expect(terminal.screen()).not.toContain('Tenant 1  ')
    terminal.press('c')
    terminal.press('j', 'enter')
    await terminal.shows(`Website  ${site.url}`)
    await terminal.shows(/last crawl completed \d+ s ago: 4 pages crawled, 2 indexed, 1 failed/)
    await terminal.shows(/Morning Oats/)
    terminal.press('c')
    await terminal.shows(/pages of Website {2}4 pages/)
    await terminal.shows(/\[all\] +failed 1 +skipped 1 +indexed 2/)
    terminal.press('tab')
    await terminal.shows(/\[failed 1\]/)
    await terminal.shows(/› +http:.*\/gone +failed .*The page does/)
    await terminal.hides('/oats')
    terminal.press('enter')
    await terminal.shows(/reason +The page does not exist any more \(404\)\./)
    terminal.press('q', 'q', '/')
    await terminal.shows('Search Website for')
    terminal.press('hazelnuts', 'enter')
    await terminal.shows(/1\. Morning Oats.*\n +http:.*\/oats\n/)
  })

  it('says so where there is nothing, and takes up what is added meanwhile', async () => {
    await using staff = await createStaff()
    await using terminal = await sit(staff, reviewer, {}, 40)
    terminal.press('7')
    await terminal.shows(/3 datasets/)
    terminal.press('enter')
    await terminal.shows('No files.')
    terminal.press('c')
    await terminal.shows(/was never read from a\s+website/)
    await ingested(staff, documents)
    terminal.press('R')
    await terminal.shows(/broken\.pdf +error/)
    for (const line of terminal.lines()) expect(line.length).toBeLessThanOrEqual(40)
    terminal.press('?')
    await terminal.shows('Keys on a dataset')
    await terminal.shows(/c +the pages of/)
  })

  it('says plainly that an API key cannot open datasets, and asks nothing that it may not', async () => {
    await using staff = await createStaff()
    await using terminal = await staff.sit({ columns: 100 })
    terminal.press('7')
    await terminal.shows(/3 datasets/)
    await terminal.shows(
      /need a login with a password, and this is an API key: copydesk login\s+--email you@/,
    )
    terminal.press('enter', '/')
    await terminal.shows(/› +Tenant 1 +Client documents/)
    terminal.press(':', '/kb search rye --tenant "Tenant 1"', 'enter')
    await terminal.shows(/this is an API key[^]*this is an API key/)
    expect(terminal.screen()).not.toContain('logged out')
  })

  it('says that it could not be loaded, and loads it again', async () => {
    let isBroken = false
    await using staff = await createStaff({
      between: (request, response, handle) =>
        isBroken && request.url?.startsWith('/cli/v1/kb')
          ? response.writeHead(500, { 'content-type': 'application/json' }).end('{}')
          : handle(request, response),
    })
    await using terminal = await sit(staff, reviewer)
    isBroken = true
    terminal.press('7')
    await terminal.shows('It could not be loaded. R tries again.')
    isBroken = false
    terminal.press('R')
    await terminal.shows(/3 datasets/)
  })
})
