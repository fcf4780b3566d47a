import { describe, expect, it } from 'vitest'
import { createProxy } from '../chaos/proxy.ts'
import type { Agent } from '../kit/runtime.ts'
import type { Running } from './process.ts'
import { createStaff, type Staff, watchStreams } from './staff.ts'

interface Told {
  event: string
  id?: string
  data: { title?: string; delta?: string; approvalId?: string; status?: string; position?: number }
}

const toldBy = ({ said }: Pick<Running, 'said'>): Told[] =>
  said()
    .stdout.split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Told)

async function through(staff: Staff) {
  const proxy = await createProxy(() => Number(new URL(staff.harness.url).port))
  return { proxy, env: { ...staff.env, COPYDESK_URL: `http://127.0.0.1:${proxy.port}` } }
}

/** Sends pieces of a text as the agent of a run. */
async function write(agent: Agent, from: number, pieces: readonly string[]): Promise<void> {
  for (const [index, delta] of pieces.entries())
    await agent.call('POST /runs/:runId/stream', { delta, sequenceNum: from + index } as never)
}

describe('copydesk tail', () => {
  it('prints every event once despite disconnects, and continues later where it ended', async () => {
    const { streams, between } = watchStreams()
    await using staff = await createStaff({ between })
    const { proxy, env } = await through(staff)
    await using _ = proxy
    const tail = await staff.begin(['tail', '--json', '--only', 'questions'], { env })
    await staff.harness.app.until(async () => streams[0]?.headersSent, 'the stream is open')
    const approvals = [await staff.waiting('One')]
    await tail.says(approvals[0]?.approvalId ?? '')
    proxy.shut()
    approvals.push(await staff.waiting('Two'), await staff.waiting('Three'))
    await tail.says('cannot be reached')
    proxy.open()
    await tail.says(approvals[2]?.approvalId ?? '')
    proxy.cut()
    approvals.push(await staff.waiting('Four'))
    await tail.says(approvals[3]?.approvalId ?? '')
    tail.child.kill('SIGINT')
    expect((await tail.ended).code).toBe(0)
    const told = toldBy(tail)
    expect(told.map(({ data }) => data.approvalId)).toEqual(approvals.map(({ approvalId }) => approvalId))
    expect(new Set(told.map(({ id }) => id)).size).toBe(4)

    const later = await staff.begin(['tail', '--json', '--only', 'questions', '--after', told[1]?.id ?? ''])
    await later.says(approvals[3]?.approvalId ?? '')
    later.child.kill('SIGTERM')
    expect((await later.ended).code).toBe(0)
    expect(toldBy(later)).toEqual(told.slice(2))
  })

  it('prints in a line each what agents and other users do, filtered by kind', async () => {
    const { streams, between } = watchStreams()
    await using staff = await createStaff({ between })
    const { harness } = staff
    const all = await staff.begin(['tail'])
    const some = await staff.begin(['tail', '--only', 'verdicts', '--only', 'blockers,verdicts'])
    const open = () => streams.filter(({ headersSent }) => headersSent).length
    await harness.app.until(async () => open() === 2, 'both streams are open')
    const { approvalId, activityId } = await staff.waiting('Rye')
    await harness.team.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId },
      body: { resolution: 'approved' },
    })
    const woken = await harness.next()
    await woken.call('POST /runs/:runId/result', { status: 'success', metadata: { nothingToDo: true } })
    await all.says('activity done')
    const stuck = await harness.order()
    const stuckId = (await harness.activityOf(stuck.runId)).id
    await stuck.call('POST /runs/:runId/actions/report-blocker', {
      blockerType: 'needs_human_input',
      description: 'Which shop?\u001b[2J',
    })
    for (const tail of [all, some]) await tail.says('Which shop?')
    for (const tail of [all, some]) tail.child.kill('SIGINT')
    const linesOf = async (tail: Running) =>
      (await tail.ended).stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}/, 'At '))
    const verdict = `At ✔ Tenant 1: Ada Admin approved: Social post: draft  ${approvalId}`
    const blocker = `At ■ Tenant 1: activity is blocked (Which shop?␛[2J): Social post: draft  ${stuckId}`
    expect((await linesOf(all)).toSorted()).toEqual(
      [
        // It wrote, and then heard that it was approved.
        ...[1, 2].flatMap(() => [
          `At ▶ Tenant 1: social_writer started a run: Social post: draft  ${activityId}`,
          `At ▪ Tenant 1: social_writer finished a run: Social post: draft  ${activityId}`,
        ]),
        `At ? Tenant 1: question, low risk: Social post: draft  ${approvalId}`,
        verdict,
        `At ✔ Tenant 1: activity done: Social post: draft  ${activityId}`,
        `At ▶ Tenant 1: social_writer started a run: Social post: draft  ${stuckId}`,
        blocker,
      ].toSorted(),
    )
    expect(await linesOf(some)).toEqual([verdict, blocker])
    const wrong = await staff.run(['tail', '--only', 'gossip'])
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toContain(
      'must be some of questions, runs, verdicts, deliveries, blockers, separated by commas',
    )
    expect(await staff.run(['tail', activityId, '--only', 'runs'])).toMatchObject({
      code: 2,
      stderr: 'error: --only is for what happens at tenants, not for an activity\n',
    })
  })

  it('prints a text as it is written, completely despite disconnects, and ends with it', async () => {
    await using staff = await createStaff()
    const { proxy, env } = await through(staff)
    await using _ = proxy
    const agent = await staff.harness.order()
    const { id } = await staff.harness.activityOf(agent.runId)
    const tail = await staff.begin(['tail', id, '--json'], { env })
    await tail.says('activity_meta')
    await write(agent, 0, ['Rye ', 'at '])
    await tail.says('at ')
    proxy.cut()
    await write(agent, 2, ['night', ', 🌾 and oats.'])
    await tail.says('oats.')
    await agent.deliver('Rye at night, 🌾 and oats.')
    const { code } = await tail.ended
    expect(code).toBe(0)
    const told = toldBy(tail)
    expect(told.map(({ data }) => data.delta ?? '').join('')).toBe('Rye at night, 🌾 and oats.')
    expect(told.at(-1)).toMatchObject({ event: 'activity_completed', data: { status: 'awaiting_approval' } })
  })

  it('prints a text for people without control characters', async () => {
    await using staff = await createStaff()
    const { activityId } = await staff.waiting('Rye\u001b[2J\nat night\u0007.')
    const { code, stdout, stderr } = await staff.run(['tail', activityId])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('Rye␛[2J\nat night␇.\n')
  })

  it('exits with 1 for an unknown id', async () => {
    await using staff = await createStaff()
    const ended = await staff.run(['tail', '01J9ZX6T4QH8C3V5N7M2K0B1AD', '--json'])
    expect(ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: There is no activity with this id\n',
    })
  })
})
