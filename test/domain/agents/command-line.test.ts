import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type CommandHarness, createCommandHarness, example, script } from '../../kit/command-harness.ts'

/** Says as a delivered text what a program sees of the world. */
const look = (code: string) =>
  script(`const say = (value) => process.stdout.write(JSON.stringify(value)); ${code}`)

async function seen<T>(harness: CommandHarness): Promise<T> {
  await harness.order()
  const run = await harness.ended()
  expect(run).toMatchObject({ status: 'completed', error: null })
  return JSON.parse((await harness.activity()).text ?? '') as T
}

async function sendBack({ app, team }: CommandHarness) {
  const { id } = await app.until(async () => {
    const { data } = await team.reviewer.call('dm', 'GET /approvals', {
      query: { 'filter.status': 'pending' },
    })
    return data[0]
  }, 'an approval is pending')
  const body = { resolution: 'revision_requested' as const, note: 'Once more' }
  await team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', { params: { approvalId: id }, body })
}

describe('a command-line agent', () => {
  it('gets the prompt, streams its output, and delivers a text for approval', async () => {
    await using harness = await createCommandHarness({ example })
    const live = harness.team.admin.stream('dashboard', 'GET /events/stream')
    const streamed = (async () => {
      let text = ''
      for await (const { event, data } of live) {
        if (event === 'text_delta') text += data.delta
        if (event === 'approval_created') return text
      }
      return text
    })()
    await harness.order()
    expect(await harness.ended()).toMatchObject({
      status: 'completed',
      adapter: 'adapter_a',
      input_tokens: expect.any(Number),
    })
    const { status, text } = await harness.activity()
    expect(status).toBe('awaiting_approval')
    expect(text).toMatch(/^# Morning Oats, Rye & Seed Loaf\n/)
    expect((await streamed).trim()).toBe(text)
    expect(await harness.folder('work')).toEqual([])
    expect(await harness.folder('kept')).toEqual([])
    expect(await harness.folder('processes')).toEqual([])
  })

  it('resumes its session when a revision is requested', async () => {
    await using harness = await createCommandHarness({ example })
    await harness.order()
    await harness.ended()
    await sendBack(harness)
    await harness.ended(2)
    expect((await harness.activity()).text).toContain('taken up for the 2. time')
  })

  it('starts a new session when the old one is lost', async () => {
    await using harness = await createCommandHarness({ example })
    await harness.order()
    await harness.ended()
    await harness.app.db.write((tx) => tx.run(`update agent_sessions set session_id = 'elsewhere'`))
    await sendBack(harness)
    expect(await harness.ended(2)).toMatchObject({ status: 'completed' })
    expect((await harness.activity()).text).not.toContain('taken up')
  })

  it('gets the data of its run and no secret of the server', async () => {
    process.env['SECRET_OF_THE_SERVER'] = 'not for you'
    process.env['FOR_THE_AGENT'] = 'for you'
    const command = look(`say({ env: process.env, cwd: process.cwd(), argv: process.argv.slice(1) })`)
    await using harness = await createCommandHarness({
      look: {
        ...command,
        argv: [...command.argv, '{{agentRole}} for {{runId}}'],
        passEnv: ['FOR_THE_AGENT'],
        env: { AT: '{{cwd}}/x', PROMPTED: 'as {{agentRole}}' },
      },
    })
    interface Seen {
      env: Record<string, string>
      cwd: string
      argv: string[]
    }
    const { env, cwd, argv } = await seen<Seen>(harness)
    const run = await harness.ended()
    const activity = await harness.activity()
    expect(
      Object.keys(env)
        .filter((name) => !/^(LANG|LC_ALL|LC_CTYPE|TZ|__CF.*)$/.test(name))
        .toSorted(),
    ).toEqual([
      'AT',
      'COPYDESK_AGENT_ROLE',
      'COPYDESK_BASE_URL',
      'COPYDESK_RUN_ID',
      'COPYDESK_TASK_TOKEN',
      'COPYDESK_TENANT_ID',
      'COPYDESK_WAKE_REASON',
      'FOR_THE_AGENT',
      'HOME',
      'NO_COLOR',
      'PATH',
      'PROMPTED',
      'TERM',
      'TMPDIR',
    ])
    expect(env).toMatchObject({
      COPYDESK_RUN_ID: run.id,
      COPYDESK_TENANT_ID: harness.team.tenantId,
      COPYDESK_BASE_URL: harness.app.options.baseUrl,
      COPYDESK_WAKE_REASON: 'new_task',
      FOR_THE_AGENT: 'for you',
      AT: `${cwd}/x`,
      PROMPTED: 'as social_writer',
    })
    expect(cwd).toBe(join(harness.app.options.dataDir, 'agents', 'folders', activity.id))
    expect(env['HOME']).toBe(
      join(harness.app.options.dataDir, 'agents', 'homes', 'look', harness.team.tenantId),
    )
    expect(argv).toEqual([`social_writer for ${run.id}`])
  })

  it.runIf(process.platform === 'linux')(
    'uses its token during the run, and may deliver the result itself',
    async () => {
      await using harness = await createCommandHarness({ silent: script('setTimeout(() => {}, 60_000)') })
      await harness.order()
      const run = await harness.app.until(
        () =>
          harness.app.db.sql.get<{ id: string; pid?: number }>(
            `select id from runs where status = 'running'`,
          ),
        'the run is running',
      )
      await harness.app.until(async () => (await harness.folder('processes')).length > 0, 'the program runs')
      const [file = ''] = await harness.folder('processes')
      const { pid } = JSON.parse(
        await readFile(join(harness.app.options.dataDir, 'agents', 'processes', file), 'utf8'),
      ) as { pid: number }
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8')
      const token = /COPYDESK_TASK_TOKEN=([^\0]+)/.exec(environment)?.[1]
      const client = harness.app.clientFor(token)
      await client.call('agent', 'POST /runs/:runId/result', {
        params: { runId: run.id },
        body: { status: 'success', text: 'By itself' },
      })
      process.kill(pid, 'SIGKILL')
      await harness.app.until(async () => (await harness.folder('work')).length === 0, 'the folder is gone')
      expect(await harness.ended()).toMatchObject({ status: 'completed' })
      expect((await harness.activity()).text).toBe('By itself')
    },
  )

  it('reads its generated files, and gets arguments in which no text is parsed as an option', async () => {
    const code = `say({ file: require('fs').readFileSync('TASK.md', 'utf8'), argv: process.argv.slice(1) })`
    await using harness = await createCommandHarness({
      look: {
        ...look(code),
        argv: [process.execPath, '-e', look(code).argv[2] ?? '', '--', '{{systemPrompt}}', '-p{{prompt}}'],
        stdin: '',
        files: [{ name: 'TASK.md', text: 'As {{agentRole}}:\n{{prompt}}' }],
      },
    })
    await harness.use('look', { promptTemplate: '--dangerous {{company}}' })
    const { file, argv } = await seen<{ file: string; argv: string[] }>(harness)
    const { prompt } = (await harness.ended()) as unknown as { prompt: string }
    expect(file).toBe(`As social_writer:\n${prompt}`)
    expect(argv).toEqual([' --dangerous Tenant 1', `-p${prompt}`])
  })

  it('records its tool calls and its token counts', async () => {
    const lines = [
      { type: 'tool_call', name: 'search', input: { q: 'oats' }, output: 'found', durationMs: 12 },
      { type: 'tool_call', name: 'search', input: {}, error: 'nothing there' },
      'no JSON at all',
      { type: 'result', text: 'A post', usage: { inputTokens: 11, outputTokens: 22 } },
    ].map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    await using harness = await createCommandHarness({
      tools: script(`process.stdout.write(${JSON.stringify(`${lines.join('\n')}\n`)})`, {
        output: 'json-lines',
      }),
    })
    await harness.order()
    expect(await harness.ended()).toMatchObject({ status: 'completed', input_tokens: 11, output_tokens: 22 })
    const calls = await harness.app.db.sql.all('select tool_name, status, error from tool_calls order by id')
    expect(calls).toEqual([
      { tool_name: 'search', status: 'success', error: null },
      { tool_name: 'search', status: 'error', error: 'nothing there' },
    ])
  })

  it('keeps its folder for a while after a failure, with its output', async () => {
    await using harness = await createCommandHarness({
      failing: script(
        `require('fs').writeFileSync('half.txt', 'x'); console.error('No luck in ' + process.cwd() + '/x and ' + process.env.HOME); process.exit(64)`,
      ),
    })
    await harness.order()
    const run = await harness.ended()
    expect(run).toMatchObject({
      status: 'failed',
      error: 'The command ended with 64: No luck in ./x and ~',
      error_family: 'invalid',
    })
    const kept = join(harness.app.options.dataDir, 'agents', 'kept', `${run.id}.1`)
    expect((await readdir(kept)).toSorted()).toEqual(['.tmp', 'half.txt', 'stderr.log'])
    expect(await readFile(join(kept, 'stderr.log'), 'utf8')).toMatch(/^No luck in \//)
  })
})
