import type { Command } from 'commander'
import { type Profile, profilesFile, readProfiles } from '../account/profiles.ts'
import type { AnyOperation } from '../operations/operation.ts'
import { wrongUsage } from './failure.ts'
import type { OnMachine } from './on-machine.ts'
import { runCommand } from './run-command.ts'
import { outputOf } from './session.ts'

interface Options {
  profile?: string
  dataDir?: string
  config?: string
  tenant?: string
}

/**
 * Runs a command on the machine or at a server. It goes to the server when `--profile` or COPYDESK_PROFILE
 * names a login, or the login in use is one of a tenant; otherwise to the installation that `--data-dir` or
 * `--config` names, or the default one.
 */
export async function runWhere(
  operation: AnyOperation,
  command: Command,
  machine: OnMachine | undefined,
): Promise<void> {
  const { tenant, ...options } = command.optsWithGlobals<Options>()
  const profile = await loginMeant(options)
  if (profile || !machine || !(await isMeantHere(options, command, machine))) {
    if (tenant !== undefined && profile?.tenant && ![profile.tenant.id, profile.tenant.name].includes(tenant))
      throw wrongUsage(
        `You are logged in for ${profile.tenant.name} and for no other tenant. --tenant is for operators on the machine of the server: name its data folder with --data-dir as well.`,
      )
    return runCommand(operation, command)
  }
  await using here = await machine.context(command, tenant)
  await runCommand(operation, command, here)
  if (operation.effect === 'reads') return
  const output = outputOf(command)
  for (const line of await here.told()) output.info(line)
}

/** The login for the command, when it is one of a tenant or named explicitly. */
async function loginMeant({ profile: named, dataDir, config }: Options): Promise<Profile | undefined> {
  const isHere = dataDir !== undefined || config !== undefined
  if (named !== undefined && isHere)
    throw wrongUsage('--profile is for a server and --data-dir for this machine: name one of them.')
  if (isHere) return undefined
  const { current, profiles } = await readProfiles(profilesFile(process.env))
  const wanted = named ?? process.env['COPYDESK_PROFILE']
  if (wanted) return profiles[wanted]
  const isOfEnvironment = process.env['COPYDESK_URL'] && process.env['COPYDESK_API_KEY']
  const inUse = current === undefined || isOfEnvironment ? undefined : profiles[current]
  return inUse?.tenant ? inUse : undefined
}

async function isMeantHere(
  { profile, dataDir, config }: Options,
  command: Command,
  machine: OnMachine,
): Promise<boolean> {
  if (dataDir !== undefined || config !== undefined) return true
  return !profile && !process.env['COPYDESK_PROFILE'] && machine.isHere(command)
}
