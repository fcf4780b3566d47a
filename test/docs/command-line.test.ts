import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createCommands } from '../../packages/core/src/domain/work/runs/commands/commands.ts'
import { readLines } from '../../packages/core/src/domain/work/runs/commands/lines.ts'
import { resultOf } from '../../packages/core/src/domain/work/runs/commands/result.ts'
import { Commands, toCommands } from '../../packages/server/src/config/commands.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Every configuration that a page shows. */
function shownIn(page: string): Commands[] {
  const text = readFileSync(`${root}/${page}`, 'utf8')
  return [...text.matchAll(/^```json\n([^]*?)^```/gm)].map(([, json]) =>
    Commands().parse((JSON.parse(json ?? '') as { commands: unknown }).commands),
  )
}

const pages = ['docs/agents/command-line.md', 'examples/agent-command/README.md']
const known = toCommands(Object.assign({}, ...pages.flatMap(shownIn)) as Commands)

/** What the real programs have written without an account; shortened. */
const withoutAccount = {
  claude: {
    code: 1,
    stdout: [
      '{"type":"system","subtype":"init","cwd":"/w","session_id":"8368360e-b927-4ab0-b592-1b62704b530b","tools":[]}',
      '{"type":"assistant","message":{"model":"<synthetic>","role":"assistant","content":[{"type":"text","text":"Not logged in · Please run /login"}]},"session_id":"8368360e-b927-4ab0-b592-1b62704b530b","error":"authentication_failed"}',
      '{"session_id":"8368360e-b927-4ab0-b592-1b62704b530b","usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0},"is_error":true,"subtype":"success","result":"Not logged in · Please run /login","type":"result"}',
    ],
    stderr: '',
    error: 'Not logged in · Please run /login',
  },
  gemini: {
    code: 41,
    stdout: [],
    stderr:
      'Please set an Auth method in your /home/.gemini/settings.json or specify one of the following environment variables before running: GEMINI_API_KEY\n',
    error: /^The command ended with 41: Please set an Auth method/,
  },
}

describe('the commands in the documentation', () => {
  it('are accepted by the server', () => {
    expect(Object.keys(known).toSorted()).toEqual(['claude', 'codex', 'example', 'gemini', 'walled'])
    const nothing = {} as never
    const made = () =>
      createCommands({ commands: known, environment: {}, processes: nothing, folders: nothing })
    expect(made).not.toThrow()
  })

  it.each(Object.entries(withoutAccount))('parse the output of %s without an account', (name, said) => {
    const command = known[name]
    if (!command) throw new Error(`${name} is not in the documentation`)
    const reader = readLines(command.lines ?? [], { delta: () => undefined, tool: () => undefined })
    reader.take(said.stdout.map((line) => `${line}\n`).join(''))
    const end = { code: said.code, signal: null, stderr: said.stderr, tooMuch: false }
    const result = resultOf(command, end, reader.end())
    expect(result).toMatchObject({ status: 'error', family: 'auth' })
    expect((result as { error: string }).error).toMatch(said.error)
  })

  it('parse the output of a working agent', () => {
    const reader = readLines(known['codex']?.lines ?? [], { delta: () => undefined, tool: () => undefined })
    for (const line of [
      { type: 'thread.started', thread_id: 't1' },
      { type: 'error', message: 'Reconnecting... 2/5' },
      { type: 'item.completed', item: { type: 'reasoning', text: 'Hm' } },
      { type: 'item.completed', item: { type: 'agent_message', text: 'A post' } },
      { type: 'turn.completed', usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 2 } },
    ])
      reader.take(`${JSON.stringify(line)}\n`)
    expect(reader.end()).toMatchObject({
      text: 'A post',
      sessionId: 't1',
      usage: { inputTokens: 10, outputTokens: 2 },
      error: undefined,
    })
  })
})
