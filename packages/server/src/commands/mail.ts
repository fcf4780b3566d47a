import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { SystemApi } from '@copydesk/core'
import { Failure } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import { table } from '@copydesk/terminal/table'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { withApp } from '../app.ts'
import { tenantId } from './find.ts'
import { incomingCommands } from './mail-incoming.ts'
import { prepare } from './options.ts'

const categories = ['approval', 'report_delivery', 'onboarding', 'billing', 'alert', 'custom'] as const
const ofTenant = `as this tenant has it: ${tenantNaming}`

/** `mail templates|preview|test|receive|suppressed`. */
export function mailCommands(program: Command): void {
  const group = program
    .command('mail')
    .description('templates of e-mails, whether e-mails arrive, and those that come back')
    .addHelpText('after', example('copydesk mail templates'))
  group
    .command('templates')
    .description('list the e-mail templates')
    .option('--tenant <tenant>', `also those of this tenant: ${tenantNaming}`)
    .addOption(new Option('--category <category>', 'only templates of this category').choices(categories))
    .addHelpText('after', example('copydesk mail templates --category billing'))
    .action(templates)
  group
    .command('preview')
    .description('show an e-mail with sample values, without sending it')
    .argument('<template>', 'slug of the template, from `copydesk mail templates`')
    .option('--tenant <tenant>', ofTenant)
    .option('--set <key=value...>', 'value of a variable (default: its name)', pair, {})
    .option('--html <file>', 'also write the HTML part to this file')
    .addHelpText(
      'after',
      example('copydesk mail preview invitation --set tenant="Example Ltd" --html mail.html'),
    )
    .action(preview)
  group
    .command('test')
    .description('send one e-mail to an address, by the way that its template takes')
    .argument('<address>', 'e-mail address')
    .option('--template <slug>', 'slug of its template', 'test-mail')
    .option('--tenant <tenant>', ofTenant)
    .option('--set <key=value...>', 'value of a variable (default: its name)', pair, {})
    .addHelpText('after', example('copydesk mail test ada@example.com'))
    .action(test)
  incomingCommands(group)
}

type Values = Record<string, string>

function pair(text: string, before: Values): Values {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('A value has the form key=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

async function templates(
  { tenant, category }: { tenant?: string; category?: (typeof categories)[number] },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  const { data } = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    return api.emailTemplates.list({
      ...(tenant !== undefined && { 'filter.tenantId': await tenantId(api, tenant) }),
      ...(category && { 'filter.category': category }),
    })
  })
  output.data(data, () =>
    table(
      ['TEMPLATE', 'SUBJECT', 'CATEGORY', 'OF', 'VIA', 'USED', 'CHANGED'],
      data.map((one) => [
        one.slug,
        one.subject,
        one.category,
        one.tenantId ?? 'all',
        one.sendVia,
        one.isActive ? 'yes' : 'no',
        one.updatedOn.toISOString().slice(0, 10),
      ]),
      [1],
    ),
  )
}

interface SampleOptions {
  tenant?: string
  set: Values
}

async function preview(
  slug: string,
  { tenant, set, html: file }: SampleOptions & { html?: string },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  const mail = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    const { id, values } = await sampleOf(api, slug, { tenant, set })
    return api.emailTemplates.render(id, values)
  })
  if (file !== undefined) await writeFile(resolve(file), mail.html)
  output.data(mail, () => `Subject: ${mail.subject}\n\n${mail.text.trimEnd()}`)
}

async function test(
  to: string,
  { template, tenant, set }: SampleOptions & { template: string },
  command: Command,
): Promise<void> {
  const { config, output } = prepare(command)
  const { messageId } = await withApp(config, async (copydesk) => {
    const api = copydesk.asSystem()
    const { id, values } = await sampleOf(api, template, { tenant, set })
    return api.emailTemplates.preview(id, { to, sampleVariables: values })
  })
  output.data({ to, messageId }, () => `The e-mail ${messageId} is on its way to ${to}.`)
}

/** A template by its slug, with a value for each of its variables. @throws Failure when there is none */
async function sampleOf(
  api: SystemApi,
  slug: string,
  { tenant, set }: { tenant: string | undefined; set: Values },
): Promise<{ id: string; values: Values }> {
  const owner = tenant === undefined ? null : await tenantId(api, tenant)
  const { data } = await api.emailTemplates.list(owner === null ? {} : { 'filter.tenantId': owner })
  const named = data.filter((one) => one.slug === slug)
  const found = named.find((one) => one.tenantId === owner) ?? named[0]
  if (!found) throw new Failure(`There is no template ${slug}. \`copydesk mail templates\` shows them.`)
  const { variables } = await api.emailTemplates.get(found.id)
  return { id: found.id, values: { ...Object.fromEntries(variables.map(({ key }) => [key, key])), ...set } }
}
