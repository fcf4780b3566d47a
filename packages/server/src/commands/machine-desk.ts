import { existsSync } from 'node:fs'
import type { Client } from '@copydesk/client'
import type { Api, Copydesk } from '@copydesk/core'
import type { MachineDesk } from '@copydesk/terminal/commands'
import { Failure, wrongUsage } from '@copydesk/terminal/failure'
import type { Command } from 'commander'
import { databaseFile, openApp, requireInstallation } from '../app.ts'
import type { Config } from '../config/schema.ts'
import { invocation } from '../invocation.ts'
import { isServed } from '../server-lock.ts'
import { everything, tenantId } from './find.ts'
import { prepare } from './options.ts'

/** Whether there is an installation in the data folder that the command means. */
export function isInstalled(command: Command): boolean {
  const { config } = prepare(command)
  const file = databaseFile(config)
  return config.encryptionKeys.length > 0 && (file === undefined || existsSync(file))
}

/**
 * The desk of the operator of an installation, for one of its tenants. Nothing is opened before the first request.
 * @param tenant id, domain or name; absent: the only one
 */
export function machineDesk(command: Command, tenant: string | undefined): MachineDesk & AsyncDisposable {
  const { config } = prepare(command)
  let opened: Promise<Opened> | undefined
  const call = async (surface: string, route: string, input: Given = {}) => {
    opened ??= openFor(config, tenant, route.startsWith('POST '))
    return answered(await opened, `${surface} ${route}`, input)
  }
  const stream = (surface: string, route: string) => {
    throw new Error(`${surface} ${route} is not followed on the machine`)
  }
  return {
    desk: { client: { call, stream } as unknown as Client, now: Date.now, audience: 'operator' },
    async told() {
      const made = await opened
      if (!made) return []
      const { tenant: meant, isNew } = made
      const isIdle = databaseFile(config) !== undefined && !(await isServed(config.dataDir))
      return [
        ...(isNew
          ? [`${meant.name} is created as the first tenant: \`${invocation()} tenant show\` shows it.`]
          : []),
        `It was done on this machine, in ${config.dataDir}, for ${meant.name}.`,
        ...(isIdle ? [`No server is running: the work begins with \`${invocation()} up\`.`] : []),
      ]
    },
    [Symbol.asyncDispose]: async () => (await opened?.catch(() => undefined))?.copydesk.stop(),
  }
}

interface Opened {
  copydesk: Copydesk
  tenant: { id: string; name: string }
  /** Whether it was created for this, being the first. */
  isNew: boolean
}

/** @throws Failure when there is no installation, no such tenant, or several and none is named */
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

/** How many tenants are named where one of them has to be chosen. */
const mostNamed = 5

/** The tenant that is named, or the only one. The first that there is, is created: no other can be meant. */
async function tenantMeant(
  api: Api,
  named: string | undefined,
  creates: boolean,
): Promise<Omit<Opened, 'copydesk'>> {
  const found = await everything((page) => api.tenants.list(page), mostNamed + 1)
  if (creates && found.length === 0 && named !== undefined)
    return { tenant: await api.tenants.create({ name: named }), isNew: true }
  if (named !== undefined) return { tenant: await api.tenants.get(await tenantId(api, named)), isNew: false }
  const [only] = found
  if (!only)
    throw new Failure('There is no tenant yet. Name one with --tenant "Example Ltd": it is created then.')
  if (found.length === 1) return { tenant: only, isNew: false }
  const names = found.slice(0, mostNamed).map(({ name }) => `“${name}”`)
  throw wrongUsage(
    `Which tenant is it for? Name it with --tenant: ${names.join(', ')}${found.length > mostNamed ? ' and more' : ''}.`,
  )
}

interface Given {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

/** The answer of the service behind an endpoint, in the shape of the wire. */
async function answered({ copydesk, tenant }: Opened, route: string, given: Given): Promise<unknown> {
  const { campaigns } = copydesk.asSystem({ tenantId: tenant.id })
  const { body, query, params } = given
  const answers: Record<string, () => Promise<unknown>> = {
    'dashboard POST /campaigns': () => campaigns.create(body as never),
    'dashboard GET /campaigns': () => campaigns.list(query as never),
    'dashboard GET /campaigns/:campaignId': () => campaigns.get(params?.['campaignId'] ?? ''),
  }
  const answer = answers[route]
  if (!answer) throw new Error(`${route} is not answered on the machine`)
  return JSON.parse(JSON.stringify(await answer())) as unknown
}
