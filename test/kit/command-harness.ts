import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CommandOptions, CopydeskOptions } from '@copydesk/core'
import { brief, createTestApp, type Team, type TestApp } from './app.ts'

export const exampleAgent = fileURLToPath(new URL('../../examples/agent-command/agent.ts', import.meta.url))

/** A command that is a few lines of JavaScript. */
export const script = (code: string, more: Partial<CommandOptions> = {}): CommandOptions => ({
  argv: [process.execPath, '-e', code],
  version: [],
  ...more,
})

/** The example of a command-line agent as its README configures it. */
export const example: CommandOptions = {
  argv: [process.execPath, exampleAgent],
  resumeArgv: [process.execPath, exampleAgent, '--resume', '{{sessionId}}'],
  output: 'json-lines',
  version: [exampleAgent, '--version'],
}

type Row = Record<string, unknown> & { id: string; status: string }

/** An instance with one team, whose social posts are written by commands. */
export interface CommandHarness extends AsyncDisposable {
  app: TestApp
  team: Team
  /** Has the agent be another command. */
  use(command: string, more?: object): Promise<void>
  order(): Promise<void>
  /** The last run once it has ended. */
  ended(count?: number): Promise<Row>
  activity(): Promise<Row & { text: string | null }>
  /** Names in a folder of the agents, such as `work`. */
  folder(name: string): Promise<string[]>
}

export async function createCommandHarness(
  commands: Record<string, CommandOptions>,
  options: Partial<CopydeskOptions> & { allowErrors?: boolean } = {},
): Promise<CommandHarness> {
  const app = await createTestApp({ commands, ...options })
  const team = await app.team()
  const { agents } = app.copydesk.asSystem({ tenantId: team.tenantId })
  const use: CommandHarness['use'] = async (command, more = {}) => {
    await agents.configure('social_writer', { adapterType: 'adapter_a', adapterConfig: { command, ...more } })
  }
  const [first = ''] = Object.keys(commands)
  await use(first)
  return {
    app,
    team,
    use,
    async order() {
      await team.admin.call('dashboard', 'POST /campaigns', {
        body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 1 }] },
      })
    },
    ended: (count = 1) =>
      app.until(async () => {
        const runs = await app.db.sql.all<Row>('select * from runs where open = ? order by id', [false])
        return runs.length >= count && runs.at(-1)
      }, `${count} runs have ended`),
    activity: async () =>
      (await app.db.sql.get<Row & { text: string | null }>(
        `select a.*, (select o.text from outputs o where o.activity_id = a.id order by o.version desc limit 1) as text
         from activities a order by a.id limit 1`,
      )) as Row & { text: string | null },
    folder: (name) => readdir(join(app.options.dataDir, 'agents', name)).catch(() => []),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}
