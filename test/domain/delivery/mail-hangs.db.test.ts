import { expect, it } from 'vitest'
import { createTestMailServer } from '../../kit/mail.ts'
import { letter, openOutreachDesk } from '../../kit/outreach.ts'
import { imported, importFile } from '../../surfaces/dashboard/lead-files.ts'

it('leaves a place for other jobs while a mail server accepts every mail and never answers', async () => {
  await using server = await createTestMailServer({ hold: true })
  const smtp = { host: '127.0.0.1', port: server.port }
  await using desk = await openOutreachDesk({ mail: { smtp, from: 'desk@sender.example' } })
  const { app, team } = desk
  await desk.approved(letter('ann@weekly.example'))
  await desk.addLeads('Bea')
  for (const name of ['admin', 'member'])
    await app.clientFor().call('auth', 'POST /forgot-password', {
      body: { email: `${name}.0.oats-co@test.example` },
    })
  await desk.activate((await desk.create()).id)
  await desk.send()
  const query = `select count(*) as jobs from job where status = 'running' and attempt = 1`
  const hanging = async () => Number((await app.db.sql.get<{ jobs: number }>(query))?.jobs)
  // Two mails that someone waits for, and either a turn of the sequence or the outreach, of six places.
  await expect.poll(hanging, { timeout: 15_000 }).toBe(3)
  const { importId } = await importFile(team, 'email\ncato@site.example\n')
  expect(await imported(app, team, importId)).toMatchObject({ status: 'completed', imported: 1 })
  await expect.poll(hanging).toBe(3)
  server.release()
})
