import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { invalid } from '../../../../kernel/errors.ts'
import type { Folders } from '../../../../platform/processes/folders.ts'
import type { Processes } from '../../../../platform/processes/processes.ts'
import type { CommandOptions } from './options.ts'
import { unknownNames } from './template.ts'

/** The command-line agents of an installation. */
export interface Commands {
  readonly names: readonly string[]
  /** @returns undefined where none has this name */
  get(name: string): CommandOptions | undefined
  /** Why a tenant's agent cannot be this command, as a sentence; undefined where it can. */
  problemWith(name: string | undefined, tenantId: string): string | undefined
  /** Variables of the server that a command gets, by what it is configured to; those that are not set are left out. */
  inherited(command: CommandOptions): Record<string, string>
  /** Where a program is. @returns undefined where there is none that may be run */
  find(program: string, path?: string): string | undefined
  readonly processes: Processes
  readonly folders: Folders
}

/** What every program needs to find its way; nothing here is a secret. */
const harmless = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ']

const unsupported =
  'Command-line agents need process groups, which this system does not have: run Copydesk on Linux or macOS (on Windows in WSL), or let the agent be reached by webhook'

/**
 * @param environment that of the server
 * @throws DomainError `VALIDATION_ERROR` that names the setting which cannot be used
 */
export function createCommands(options: {
  commands: Readonly<Record<string, CommandOptions>>
  environment: Readonly<Record<string, string | undefined>>
  processes: Processes
  folders: Folders
}): Commands {
  const { environment, processes, folders } = options
  const commands = new Map(Object.entries(options.commands))
  for (const [name, command] of commands) checkCommand(`commands.${name}`, command)
  return {
    names: [...commands.keys()],
    get: (name) => commands.get(name),
    problemWith(name, tenantId) {
      if (name === undefined) return 'A command-line agent needs the name of a command'
      const command = commands.get(name)
      // One that is for others is not told of.
      if (!command || !(command.tenantIds?.includes(tenantId) ?? true))
        return `This installation has no command called ${name}`
      return processes.supported ? undefined : unsupported
    },
    inherited({ passEnv = [] }) {
      const names = [...harmless, ...passEnv]
      return Object.fromEntries(
        names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
      ) as Record<string, string>
    },
    find(program, path = environment['PATH'] ?? '') {
      const places = isAbsolute(program) ? [program] : path.split(delimiter).map((at) => join(at, program))
      return places.find(isProgram)
    },
    processes,
    folders,
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** A plain name: a file of the working folder, and nowhere else. */
const fileName = /^[\w-][\w.-]{0,99}$/

function checkCommand(at: string, command: CommandOptions): void {
  const fault = (field: string, what: string): never => {
    throw invalid(`${at}.${field}`, what)
  }
  const { argv, resumeArgv, stdin, files = [], env = {}, passEnv = [], check } = command
  const lists = { argv, ...(resumeArgv && { resumeArgv }), ...(check && { check }) }
  for (const [field, list] of Object.entries(lists)) {
    const [program] = list
    if (!program) fault(field, 'names no program')
    else if (program.includes('{{')) fault(field, 'the program itself cannot be a placeholder')
    // Programs start in a folder of their own, where nothing relative leads to.
    else if (program.includes('/') && !isAbsolute(program))
      fault(field, `${program} must be a name or a path from the root`)
  }
  const templates = {
    argv,
    resumeArgv: resumeArgv ?? [],
    stdin: [stdin ?? ''],
    files: files.map(({ text }) => text),
    env: Object.values(env),
    check: check ?? [],
  }
  for (const [field, list] of Object.entries(templates)) {
    const [name] = list.flatMap(unknownNames)
    if (name) fault(field, `there is no placeholder {{${name}}}`)
  }
  for (const { name } of files) if (!fileName.test(name)) fault('files', `${name} is no plain file name`)
  for (const name of [...passEnv, ...Object.keys(env)])
    if (/^COPYDESK_/i.test(name)) fault('passEnv', `${name} is Copydesk’s own`)
  for (const { match } of command.failures ?? []) {
    try {
      void new RegExp(match, 'i')
    } catch {
      fault('failures', `${match} is no regular expression`)
    }
  }
}

declare module '../../../../kernel/services.ts' {
  interface Services {
    /** The programs that agents may be. */
    commands: Commands
  }
}
