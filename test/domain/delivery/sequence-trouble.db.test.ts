import { describe, expect, it } from 'vitest'
import { assemble } from '../../../packages/core/src/composition/assemble.ts'
import { sequenceTurn } from '../../../packages/core/src/domain/delivery/sequences/turn.ts'
import { createTestMailServer, type TestMailServer } from '../../kit/mail.ts'
import { day, type MailDesk, minute, openMailDesk } from '../../kit/sequences.ts'
import { imported, importFile } from '../../surfaces/dashboard/lead-files.ts'

const by = ({ port }: TestMailServer) => ({
  mail: { smtp: { host: '127.0.0.1', port }, from: 'desk@sender.example' },
})

const statuses = async ({ app }: MailDesk) =>
  (await app.db.sql.all<{ status: string }>('select status from sequence_mails order by id')).map(
    ({ status }) => status,
  )

const subjects = ({ taken }: TestMailServer) => taken.map(({ mail }) => mail.subject).toSorted()

describe('mails of a sequence', () => {
  it('are never sent again when no answer came, and the admins are told once', async () => {
    await using server = await createTestMailServer({ hangUp: true })
    await using desk = await openMailDesk(by(server))
    await desk.addLeads('Ann', 'Bea')
    const { id } = await desk.create()
    await desk.activate(id)
    await desk.pass(2 * day)
    expect(await statuses(desk)).toEqual(['unknown', 'unknown'])
    // Beside the mails that tell the admin.
    const attempts = 'select sum(attempts) as n from sequence_mails'
    expect(Number((await desk.app.db.sql.get<{ n: number }>(attempts))?.n)).toBe(2)
    expect((await desk.show(id)).steps[0]).toMatchObject({ sent: 0, failed: 0, unknown: 2 })
    const told = await desk.app.db.sql.all(
      `select 1 from notifications where user_id = ? and title = 'Perhaps not sent: step 1 of Welcome'`,
      [desk.team.adminId],
    )
    expect(told).toHaveLength(1)
  })

  it('are tried again when they were certainly not taken, and arrive once', async () => {
    const answers = [451, 421, 450].map((code) => ({ code, text: 'try again later' }))
    await using server = await createTestMailServer({ refusal: () => answers.shift() })
    await using desk = await openMailDesk(by(server))
    await desk.addLeads('Ann')
    const { id } = await desk.create()
    await desk.activate(id)
    for (let minutes = 0; minutes < 30; minutes += 5) await desk.pass(5 * minute)
    expect(subjects(server)).toEqual(['Hello Ann'])
    expect((await desk.show(id)).steps[0]).toMatchObject({ sent: 1, failed: 0 })
  })

  it('end for a contact whose address a mail server does not know', async () => {
    const recipient = (address: string) =>
      address.startsWith('ann') ? { code: 550, text: '5.1.1 no such user' } : undefined
    await using server = await createTestMailServer({
      recipient: (address) => recipient(address.toLowerCase()),
    })
    await using desk = await openMailDesk(by(server))
    await desk.addLeads('Ann', 'Bea')
    const { id } = await desk.create()
    await desk.activate(id)
    await desk.pass(4 * day)
    expect(subjects(server)).toEqual(['Hello Bea', 'Still there?'])
    expect(await desk.show(id)).toMatchObject({
      status: 'completed',
      contacts: { done: 1, stopped: 1 },
      steps: [{ sent: 1, failed: 1 }, { sent: 1 }],
    })
  })

  it('are in doubt when the server died with them, and go on with the next', async () => {
    await using server = await createTestMailServer()
    await using desk = await openMailDesk(by(server))
    await desk.addLeads('Ann')
    const { id } = await desk.create()
    await desk.activate(id)
    await desk.rests()
    // As a process leaves it that dies between the answer of the mail server and its note of it.
    await desk.app.db.write((tx) =>
      tx.run(`update sequence_mails set status = 'sending', until = ?`, [desk.clock.date()]),
    )
    await desk.pass(3 * day)
    expect(subjects(server)).toEqual(['Hello Ann', 'Still there?'])
    expect(await statuses(desk)).toEqual(['unknown', 'sent'])
  })

  it('go out all the same when the server is stopped before it has read the list of leads', async () => {
    await using server = await createTestMailServer()
    await using desk = await openMailDesk({ ...by(server), worker: false })
    await desk.addLeads('Ann')
    const { id } = await desk.create({ steps: [{ subject: 'Hello', body: 'We bake.', delay: 0 }] })
    await desk.activate(id)
    const node = await assemble(desk.app.options)
    const turn = (signal: AbortSignal) => sequenceTurn(node.system(), { sequenceId: id }, signal)
    await turn(AbortSignal.abort())
    expect(await desk.show(id)).toMatchObject({ status: 'active', nextAt: expect.anything() })
    await turn(new AbortController().signal)
    expect(subjects(server)).toContain('Hello')
    expect((await desk.show(id)).status).toBe('completed')
    await node.services.mail.close()
    await node.close()
  })

  it('make room for those of others after a minute, though more are due', async () => {
    const recipient = () => {
      desk.clock.advance(minute)
      return undefined
    }
    await using server = await createTestMailServer({ recipient })
    await using desk = await openMailDesk({ ...by(server), worker: false })
    await desk.addLeads('Ann', 'Bea')
    const { id } = await desk.create({ steps: [{ subject: 'Hello', body: 'We bake.', delay: 0 }] })
    await desk.activate(id)
    const node = await assemble(desk.app.options)
    const turn = () => sequenceTurn(node.system(), { sequenceId: id }, new AbortController().signal)
    await turn()
    expect(subjects(server)).toEqual(['Hello'])
    await turn()
    expect(subjects(server)).toEqual(['Hello', 'Hello'])
    await node.services.mail.close()
    await node.close()
  })

  it('leave room for the work of others at a mail server that is slow', async () => {
    await using server = await createTestMailServer({ hold: true })
    await using desk = await openMailDesk(by(server))
    const other = await desk.app.team()
    await desk.addLeads('Ann')
    for (let n = 0; n < 4; n += 1) await desk.activate((await desk.create()).id)
    await desk.app.until(async () => server.held === 1, 'a mail waits for its answer')
    const { importId } = await importFile(other, 'email\nbea@site.example')
    expect(await imported(desk.app, other, importId)).toMatchObject({ status: 'completed', imported: 1 })
    expect(await statuses(desk)).toEqual(['sending'])
    server.release()
    await desk.rests()
    expect(subjects(server)).toEqual(Array(4).fill('Hello Ann'))
  })

  it('go out once from two servers at the same moment', async () => {
    await using server = await createTestMailServer()
    await using desk = await openMailDesk(by(server))
    await desk.app.another()
    const names = Array.from({ length: 40 }, (_, n) => `Guest${n}`)
    await desk.addLeads(...names)
    const { id } = await desk.create()
    await desk.activate(id)
    const at = desk.clock.date()
    await desk.app.db.write(async (tx) => {
      for (let n = 0; n < 3; n += 1)
        await tx.run(
          `insert into job (id, kind, tenant_id, payload, status, priority, run_at, attempt, max_attempts, asked_again, failures, created_at)
           select ?, kind, tenant_id, payload, 'waiting', priority, ?, 0, max_attempts, asked_again, failures, created_at
           from job where kind = 'sequence.turn' limit 1`,
          [`01KNV9X7M0Y8TPXHY4N74S82M${n}`, at],
        )
    })
    await desk.rests()
    expect(subjects(server)).toEqual(names.map((name) => `Hello ${name}`).toSorted())
    expect((await desk.show(id)).steps[0]?.sent).toBe(40)
  })
})
