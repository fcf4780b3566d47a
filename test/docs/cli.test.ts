import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { registerCommands } from '../../packages/terminal/src/shell/commands.ts'
import { jsonOption } from '../../packages/terminal/src/shell/json-option.ts'
import { accountDay } from './account-day.ts'
import { type Shown, staffDay } from './staff-day.ts'

const folder = fileURLToPath(new URL('../../docs/cli/', import.meta.url))

/** The commands that use a server, as listed in the help. */
function commands(): Command[] {
  const program = new Command('copydesk').addOption(jsonOption()).configureHelp({ showGlobalOptions: true })
  registerCommands(program)
  return program.commands.filter((command) => command.createHelp().visibleCommands(program).includes(command))
}

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (piece) => (text += piece), getOutHelpWidth: () => 80 }).outputHelp()
  return text.trimEnd()
}

const block = (lines: string, language = 'text') => `\`\`\`${language}\n${lines}\n\`\`\`\n`

function page(command: Command, path: string, shown: readonly Shown[]): string {
  const parts = [`# copydesk ${path}\n`, `${command.description()}\n`, block(helpOf(command))]
  for (const below of command.commands)
    parts.push(`## copydesk ${path} ${below.name()}\n`, block(helpOf(below)))
  for (const { name, line, from = '', text, json } of shown) {
    if (name !== command.name()) continue
    if (json === undefined) {
      parts.push('It prints:\n', block(`$ ${line}\n${text}`, 'console'))
      continue
    }
    parts.push('For people:\n', block(`$ ${line}${from}\n${text}`, 'console'))
    parts.push('For programs:\n', block(`$ ${line} --json${from}\n${json}`, 'console'))
  }
  return parts.join('\n')
}

function index(all: readonly Command[]): string {
  const rows = all.map(
    (command) => `| [${command.name()}](${command.name()}.md) | ${command.description()} |`,
  )
  return [
    '# Commands against a server',
    '',
    'What each command takes and prints, for people and for programs; [scripting.md](../scripting.md) says how they go together.',
    '`npm run docs:cli` writes these pages again from the commands themselves.',
    '',
    '| command | what it does |',
    '| --- | --- |',
    ...rows,
    '',
  ].join('\n')
}

describe('docs/cli', () => {
  it('contains input and output of the commands (npm run docs:cli regenerates it)', async () => {
    const all = commands()
    const shown = [...(await staffDay()), ...(await accountDay())]
    for (const command of all) {
      const name = command.name()
      await expect(page(command, name, shown), name).toMatchFileSnapshot(`${folder}${name}.md`)
    }
    await expect(index(all)).toMatchFileSnapshot(`${folder}README.md`)
    const pages = ['README.md', ...all.map((command) => `${command.name()}.md`)]
    expect(readdirSync(folder).filter((name) => !pages.includes(name))).toEqual([])
  })
})
