import { callbackUrl } from '../domain/accounts/channels/provider.ts'
import { countSuppressed } from '../domain/people/mail/bounces/queries.ts'
import { findStuck } from '../domain/work/activities/sweep.ts'
import { freePool } from '../domain/work/runs/budget/free-pool.ts'
import type { Commands } from '../domain/work/runs/commands/commands.ts'
import { toUsd } from '../kernel/money.ts'
import { migrationStatus } from '../platform/database/migrate.ts'
import type { Assembled } from './assemble.ts'
import { lookAtAddress } from './doctor-address.ts'
import { lookAtEmbeddings, lookAtPayments, lookAtPush, lookAtRerank, lookAtSms } from './doctor-services.ts'
import type { Finding, Look } from './finding.ts'
import { proveKey } from './keys/keys.ts'

/** Looks at everything that has to be right for this installation to work; changes nothing but its own key proof. */
export async function examine(assembled: Assembled): Promise<Finding[]> {
  const { db, services } = assembled
  const look: Look = async (name, probe, remedy) => {
    try {
      return { name, ok: true, message: await probe() }
    } catch (error) {
      return { name, ok: false, message: (error as Error).message, remedy }
    }
  }
  const findings = [
    await look(
      'database',
      async () => {
        await db.ping()
        return db.dialect === 'sqlite' ? 'SQLite answers' : 'PostgreSQL answers'
      },
      'Check the database URL and that the server runs.',
    ),
    await look(
      'schema',
      async () => {
        const { pending, unknown } = await migrationStatus(db)
        if (unknown.length > 0)
          throw new Error(`The schema is newer than this version (${unknown.join(', ')})`)
        if (pending.length > 0) throw new Error(`Not applied: ${pending.join(', ')}`)
        return 'up to date'
      },
      'Run `copydesk migrate up`.',
    ),
  ]
  if (findings.some(({ ok }) => !ok)) return findings
  findings.push(
    await look(
      'encryption key',
      async () => {
        await proveKey(db, services.encryptor)
        return 'opens what is sealed'
      },
      'Put the key back that this database was set up with.',
    ),
    await look(
      'files',
      async () => {
        await services.blobs.check()
        return 'can be written'
      },
      'Give this user the right to write the data folder, or check storage in the configuration: the bucket, its region and the rights of its key.',
    ),
    await look('mail', () => services.mail.check(), 'Check the mail server, its user and its password.'),
    await look(
      'mail addresses',
      async () => {
        const off = await countSuppressed(db.sql)
        return off === 0
          ? 'none is turned off'
          : `${off} turned off: \`copydesk mail suppressed list\` shows them`
      },
      'Check the database.',
    ),
    await look(
      'work',
      async () => {
        const stuck = await findStuck(assembled.system())
        if (stuck.length > 0)
          throw new Error(`${stuck.length} open activities are moved by nothing, first ${stuck[0]?.id}`)
        return 'every open activity has something that moves it'
      },
      'Try these activities again, or give them to someone who is there: a tenant without an active admin or reviewer has no one to ask.',
    ),
  )
  findings.push(
    await lookAtRegistration(assembled),
    ...(await lookAtPush(services, look)),
    await lookAtSms(services, look),
    await lookAtEmbeddings(services, db, look),
    await lookAtRerank(services, look),
    lookAtPayments(services),
    await lookAtAddress(services),
  )
  const { redis } = assembled
  if (redis) {
    findings.push(
      await look(
        'Redis',
        async () => {
          await redis.start()
          await redis.check()
          return 'answers; several servers count together'
        },
        'Check redis.url and that Redis runs and takes writes; until then each server counts for itself.',
      ),
    )
  }
  const { types, redirectUrls } = services.channels
  if (types.length > 0) {
    findings.push(
      await look(
        'channels',
        async () => {
          if (redirectUrls.length === 0)
            throw new Error('Clients are set up, but people may be sent back to nowhere')
          const callbacks = callbackUrl(services.settings.baseUrl, '<type>')
          return `${types.join(', ')} can be connected; callbacks: ${callbacks}`
        },
        'Set channels.redirectUrls to the pages of your application that people come back to.',
      ),
    )
  }
  for (const name of services.commands.names) {
    findings.push(
      await look(
        `command ${name}`,
        async () => programOf(services.commands, name),
        'Install it where the server runs, or name it with its whole path.',
      ),
    )
  }
  await services.models.reload()
  for (const { provider, name } of services.models.served) {
    findings.push(
      await look(
        `model provider ${name}`,
        async () => {
          const { ok, message } = await provider.check()
          if (!ok) throw new Error(message)
          return message
        },
        'Check its URL and key in the configuration, or by `copydesk provider set`.',
      ),
    )
  }
  return findings
}

function programOf(commands: Commands, name: string): string {
  const { argv, env } = commands.get(name) ?? { argv: [] }
  const [program = ''] = argv
  const found = commands.find(program, env?.['PATH'])
  if (!commands.processes.supported) throw new Error('this system has no process groups')
  if (!found) throw new Error(`there is no program ${program}`)
  return found
}

/** Whether visitors may register, what they may take, and whether they can confirm their addresses. */
async function lookAtRegistration(assembled: Assembled): Promise<Finding> {
  const name = 'registration'
  const { services, options } = assembled
  const { registration, freeTenants } = services.settings
  if (registration === 'closed')
    return { name, ok: true, message: 'closed: people come by invitation, or an operator adds them' }
  const { smtp, api, cloud } = options.mail ?? {}
  if (smtp === undefined && api === undefined && cloud === undefined)
    return {
      name,
      ok: false,
      message:
        'open, but mails are written to files: no one can confirm an address, and no registered tenant works before',
      remedy: 'Set mail.smtp, mail.api or mail.cloud, or close registration (registration: "closed").',
    }
  const { spent, limit } = await freePool(assembled.system())
  const used = `$${toUsd(spent).toFixed(2)} of $${toUsd(limit)} spent this month`
  if (spent < limit)
    return { name, ok: true, message: `open: ${freeTenants.perDay} free tenants a day, together ${used}` }
  return {
    name,
    ok: false,
    message: `open, but the free tenants have used up their budget: ${used}`,
    remedy: 'Raise freeTenants.monthlyUsd, or wait for the next month; blocked activities are then retried.',
  }
}
