import { existsSync } from 'node:fs'
import type { Client } from '@copydesk/client'
import type { Copydesk, SystemApi } from '@copydesk/core'
import type { MachineContext } from '@copydesk/terminal/commands'
import { Failure, wrongUsage } from '@copydesk/terminal/failure'
import type { Command } from 'commander'
import { databaseFile, openApp, requireInstallation } from '../app.ts'
import type { Config } from '../config/schema.ts'
import { invocation } from '../invocation.ts'
import { isServed } from '../server-lock.ts'
import { everything, tenantId } from './find.ts'
import { prepare } from './options.ts'

/** Whether there is an installation in the data folder of the command. */
export function isInstalled(command: Command): boolean {
  const { config } = prepare(command)
  const file = databaseFile(config)
  return config.encryptionKeys.length > 0 && (file === undefined || existsSync(file))
}

/**
 * The context of the operator of an installation, for one of its tenants. Opens nothing before the first
 * request.
 * @param tenant id, domain or name; absent: the only one
 */
export function machineDesk(command: Command, tenant: string | undefined): MachineContext & AsyncDisposable {
  const { config } = prepare(command)
  let opened: Promise<Opened> | undefined
  const call = async (surface: string, route: string, input: Given = {}) => {
    opened ??= openFor(config, tenant, route.startsWith('POST '))
    return answered(await opened, `${surface} ${route}`, input)
  }
  const stream = (surface: string, route: string) => {
    throw new Error(`${surface} ${route} cannot be streamed on this machine`)
  }
  return {
    context: { client: { call, stream } as unknown as Client, now: Date.now, audience: 'operator' },
    async told() {
      const made = await opened
      if (!made) return []
      const { tenant: meant, isNew } = made
      const isIdle = databaseFile(config) !== undefined && !(await isServed(config.dataDir))
      return [
        ...(isNew
          ? [`${meant.name} was created as the first tenant: \`${invocation()} tenant show\` shows it.`]
          : []),
        `This command ran on this machine, in ${config.dataDir}, for ${meant.name}.`,
        ...(isIdle
          ? [`No server is running: \`${invocation()} up\` starts one, which executes the campaign.`]
          : []),
      ]
    },
    [Symbol.asyncDispose]: async () => (await opened?.catch(() => undefined))?.copydesk.stop(),
  }
}

interface Opened {
  copydesk: Copydesk
  tenant: { id: string; name: string }
  /** Whether this command created it as the first tenant. */
  isNew: boolean
}

/** @throws Failure when there is no installation or no such tenant, or several and none is named */
async function openFor(config: Config, named: string | undefined, creates: boolean): Promise<Opened> {
  requireInstallation(config)
  const copydesk = await openApp(config, { worker: false })
  try {
    return { copydesk, ...(await tenantMeant(copydesk.asSystem(), named, creates)) }
  } catch (error) {
    await copydesk.stop()
    throw error
  }
}

/** How many tenants a message lists. */
const mostNamed = 5

/** The tenant by name, or the only one. Creates the tenant when there is none yet. */
async function tenantMeant(
  api: SystemApi,
  named: string | undefined,
  creates: boolean,
): Promise<Omit<Opened, 'copydesk'>> {
  const found = await everything((page) => api.tenants.list(page), mostNamed + 1)
  if (creates && found.length === 0 && named !== undefined)
    return { tenant: await api.tenants.create({ name: named }), isNew: true }
  if (named !== undefined) return { tenant: await api.tenants.get(await tenantId(api, named)), isNew: false }
  const [only] = found
  if (!only)
    throw new Failure('There is no tenant yet. Name one with --tenant "Example Ltd": the command creates it.')
  if (found.length === 1) return { tenant: only, isNew: false }
  const names = found.slice(0, mostNamed).map(({ name }) => `“${name}”`)
  throw wrongUsage(
    `There are several tenants. Name one with --tenant: ${names.join(', ')}${found.length > mostNamed ? ' and more' : ''}.`,
  )
}

interface Given {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

/** The response of the service behind an endpoint, in the shape of the API; what is given comes from a typed client. */
async function answered({ copydesk, tenant }: Opened, route: string, given: Given): Promise<unknown> {
  const { campaigns } = copydesk.asSystem({ tenantId: tenant.id })
  const { body, query, params } = given
  const answers: Record<string, () => Promise<unknown>> = {
    'dashboard POST /campaigns': () => campaigns.create(body as never),
    'dashboard GET /campaigns': () => campaigns.list(query as never),
    'dashboard GET /campaigns/:campaignId': () => campaigns.get(params?.['campaignId'] ?? ''),
  }
  const answer = answers[route]
  if (!answer) throw new Error(`${route} is not available on this machine`)
  return JSON.parse(JSON.stringify(await answer())) as unknown
}
