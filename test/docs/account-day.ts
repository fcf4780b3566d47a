import { cli, temporaryFolder } from '../cli/process.ts'
import { createTestClock } from '../kit/clock.ts'
import { createListeningHarness } from '../kit/listening.ts'
import { createStable } from './stable.ts'
import type { Shown } from './staff-day.ts'

/** As long as the address that it replaces, so that columns stay aligned. */
const server = 'https://desk.acme.test'

/** The commands by which someone comes to a server and leaves it, run as processes: the same bytes each time. */
export async function accountDay(): Promise<Shown[]> {
  await using harness = await createListeningHarness({ clock: createTestClock() })
  using home = temporaryFolder()
  const { key } = await harness.app.copydesk
    .asSystem()
    .apiKeys.create({ userId: harness.team.reviewerId, name: 'Shell' })
  const stable = createStable()
  const shown: Shown[] = []
  const run = async (args: readonly string[], input?: string) => {
    const options = { cwd: home.path, env: { COLUMNS: '80' }, ...(input !== undefined && { input }) }
    const there = args.map((arg) => (arg === server ? harness.url : arg))
    const { code, stdout, stderr } = await cli(there, options)
    if (code !== 0) throw new Error(`copydesk ${args.join(' ')} ended with ${code}:\n${stderr}`)
    const told = (text: string) => stable(text.replaceAll(harness.url, server)).trimEnd()
    // A person sees both, what is said last below.
    return { text: told(stdout + stderr), stdout: told(stdout) }
  }
  const logIn = ['login', server, '--api-key-stdin', '--profile', 'example']
  const show = async (
    args: readonly string[],
    { input, from = '' }: { input?: string; from?: string } = {},
  ) => {
    const { text } = await run(args, input)
    // What takes a profile away needs one to take away again.
    if (args.includes('remove') || args.includes('logout')) await run(logIn, key)
    const { stdout } = await run([...args, '--json'], input)
    shown.push({ name: args[0] ?? '', line: `copydesk ${args.join(' ')}`, from, text, json: stdout })
  }
  const print = async (...args: string[]) => {
    const { text } = await run(args)
    shown.push({ name: args[0] ?? '', line: `copydesk ${args.join(' ')}`, text })
  }

  await show(logIn, { input: key, from: ' < key.txt' })
  await show(['profile', 'list'])
  await show(['profile', 'use', 'example'])
  await show(['profile', 'show'])
  await print('api', 'GET', '/me')
  await print('completion', 'bash')
  await show(['profile', 'remove', 'example'])
  await run(logIn, key)
  await show(['logout'])
  return shown
}
