import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundled } from '../kit/bundled.ts'
import { openTerminal } from '../kit/terminal.ts'
import { start } from './process.ts'
import { createStaff, type Staff } from './staff.ts'

const name = 'Rye & Oats: Baker\'s "$HOME" Ltd'

/** Staff of a tenant with a name that is hard to type, with the program in the path and its script in a file. */
async function createTyping() {
  const staff = await createStaff()
  const { tenantId } = staff.harness.team
  await staff.harness.app.db.write((tx) =>
    tx.run('update tenants set name = ?, domain = ? where id = ?', [name, 'rye.example', tenantId]),
  )
  const bin = join(staff.home, 'bin')
  mkdirSync(bin)
  const path = join(bin, 'copydesk')
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${await bundled('main')}' "$@"\n`)
  chmodSync(path, 0o755)
  const { stdout } = await staff.run(['completion', 'bash'])
  writeFileSync(join(staff.home, 'completion.bash'), stdout)
  const env = { ...staff.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`, LANG: 'C.UTF-8' }
  return { staff, env, tenantId, [Symbol.asyncDispose]: () => staff[Symbol.asyncDispose]() }
}

const bare = ['--norc', '--noprofile']

function bash({ home }: Staff, env: Record<string, string>, script: string) {
  return start('bash', [...bare, '-c', `set -eu\nsource ./completion.bash\n${script}`], { cwd: home, env })
    .ended
}

/** Quotes a word of a script. */
const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`

/** What a real bash would offer for the last of `words`, which are split as readline does. */
async function offered(
  { staff, env }: Awaited<ReturnType<typeof createTyping>>,
  words: readonly string[],
  line?: string,
): Promise<string[]> {
  const typed = line === undefined ? '' : `COMP_LINE=${quoted(line)} COMP_POINT=${line.length}`
  const { code, stdout, stderr } = await bash(
    staff,
    env,
    `${typed}
    COMP_WORDS=(${words.map(quoted).join(' ')}) COMP_CWORD=${words.length - 1}
    spec=$(complete -p copydesk)
    [[ $spec =~ -F\\ ([^ ]+) ]]
    "\${BASH_REMATCH[1]}" copydesk "" ""
    for reply in \${COMPREPLY[@]+"\${COMPREPLY[@]}"}; do printf '%s\\n' "$reply"; done`,
  )
  expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' })
  return stdout.split('\n').filter((each) => each !== '')
}

/** The name behind a colon, as it is typed without quotes. */
const afterColon = String.raw`\ Baker\'s\ \"\$HOME\"\ Ltd`
const wholeName = String.raw`Rye\ \&\ Oats:${afterColon}`

describe('the bash completion', () => {
  it('requires only bash, and can be sourced repeatedly', async () => {
    await using typing = await createTyping()
    const { staff, env } = typing
    const script = `
      first=$(complete -p copydesk)
      source ./completion.bash
      [[ $first == "$(complete -p copydesk)" ]]
      complete -r copydesk
      eval "$first"
      declare -F | grep -cE '_init_completion|_get_comp_words|__ltrim' || true
      complete -p | grep -c copydesk`
    expect(await bash(staff, env, script)).toMatchObject({ code: 0, stdout: '0\n1\n', stderr: '' })
    expect(await offered(typing, ['copydesk', 'que'])).toEqual(expect.arrayContaining(['queue', 'queues']))
    expect(await offered(typing, ['copydesk', 'queue', '--status', ''])).toContain('failed')
    expect(await offered(typing, ['copydesk', 'nothing', 'of', 'it', ''])).toEqual([])
  })

  it('completes words with spaces, colons and quotes, however they are typed', async () => {
    await using typing = await createTyping()
    const before = ['copydesk', 'queue', '--tenant']
    const cases: ReadonlyArray<[typed: readonly string[], expected: string, line?: string]> = [
      [['Rye'], wholeName],
      [[String.raw`Rye\ \&\ O`], wholeName],
      [[String.raw`Rye\ \&\ Oats`, ':'], afterColon],
      [[String.raw`Rye\ \&\ Oats`, ':', String.raw`\ B`], afterColon],
      [
        [String.raw`Rye\ \&\ Oats`, ':', String.raw`\ B`],
        afterColon,
        String.raw`copydesk queue --tenant Rye\ \&\ Oats:\ B`,
      ],
      [['"Rye & Oats: B'], String.raw`Rye & Oats: Baker's \"\$HOME\" Ltd`],
      [["'Rye & Oats: B"], String.raw`Rye & Oats: Baker'\''s "$HOME" Ltd`],
    ]
    for (const [typed, expected, line] of cases)
      expect(await offered(typing, [...before, ...typed], line), typed.join('')).toEqual([expected])
    expect(await offered(typing, ['copydesk', 'queue', '--tenant', '=', 'rye'])).toEqual(['rye.example'])
    expect(await offered(typing, ['copydesk', 'queue', '--tenant=rye'])).toEqual(['--tenant=rye.example'])
    const apart = 'copydesk queue --tenant= rye'
    expect(await offered(typing, ['copydesk', 'queue', '--tenant', '=', 'rye'], apart)).toEqual([])
  })

  it('executes nothing of what is typed', async () => {
    await using typing = await createTyping()
    for (const word of ['$(touch owned)', '`touch owned`', '"$(touch owned)', '; touch owned'])
      await offered(typing, ['copydesk', 'queue', word, ''])
    expect(existsSync(join(typing.staff.home, 'owned'))).toBe(false)
  })

  it('completes on a terminal to a command that can be run', async () => {
    await using typing = await createTyping()
    const { staff, env } = typing
    await using terminal = openTerminal({
      command: 'bash',
      args: [...bare, '-i'],
      cwd: staff.home,
      env,
      columns: 120,
    })
    terminal.press("PS1='ready> '; set -u; source ./completion.bash; clear", 'enter')
    await terminal.shows(/^ready> $|^ready>$/m)
    terminal.press('copydesk que', 'tab', ' --tenant Rye', 'tab')
    await terminal.shows(wholeName)
    terminal.press('--json=counts.running', 'enter')
    await terminal.shows(/"running": 0[^]*ready>/)
    terminal.press('copydesk queue --tenant "Rye', 'tab')
    await terminal.shows(String.raw`"Rye & Oats: Baker's \"\$HOME\" Ltd"`)
    terminal.press('--json=counts.pending', 'enter')
    await terminal.shows(/"pending": 0[^]*ready>/)
    terminal.press('copydesk queue --tenant=rye', 'tab')
    await terminal.shows('--tenant=rye.example')
  })
})
