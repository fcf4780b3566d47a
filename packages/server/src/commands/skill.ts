import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { SystemApi } from '@copydesk/core'
import { Failure } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import { confirmed } from '@copydesk/terminal/prompts'
import { table } from '@copydesk/terminal/table'
import { tenantNaming } from '@copydesk/terminal/tenant-named'
import { type Command, Option } from 'commander'
import { withApp } from '../app.ts'
import { everything, tenantId } from './find.ts'
import { prepare } from './options.ts'

/** `skill list|show|add|remove`. */
export function skillCommands(program: Command): void {
  const group = program
    .command('skill')
    .description('knowledge in Markdown that agents can read')
    .addHelpText('after', example('copydesk skill list'))
  const ofTenant = () => new Option('--tenant <tenant>', `a skill of this tenant: ${tenantNaming}`)
  group
    .command('list')
    .description('list the skills of the installation, or those that a tenant sees')
    .option('--role <role>', 'only skills of this agent')
    .addOption(ofTenant())
    .addHelpText('after', example('copydesk skill list --role blog_writer'))
    .action(list)
  group
    .command('show')
    .description('show a skill with its text')
    .argument('<skill>', 'id or name')
    .addOption(ofTenant())
    .addHelpText('after', example('copydesk skill show "Tone of voice"'))
    .action(show)
  group
    .command('add')
    .description('add a skill, or a new version of the one with the same name')
    .argument('<file>', 'Markdown file; its front matter may contain name and description')
    .option('--name <name>', 'name of the skill')
    .option('--description <text>', 'when to use it')
    .option('--roles <role...>', 'agents that get the skill, or all')
    .option('--references <file...>', 'further Markdown files that the skill refers to')
    .addOption(ofTenant())
    .addHelpText('after', example('copydesk skill add tone.md --roles blog_writer social_writer'))
    .action(add)
  group
    .command('remove')
    .description('delete a skill with its versions; agents lose it')
    .argument('<skill>', 'id or name')
    .addOption(ofTenant())
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', example('copydesk skill remove "Tone of voice" --yes'))
    .action(remove)
}

/** The skills of the installation, or of one tenant. */
interface Shelf {
  scope: 'global' | 'tenant'
  skills: SystemApi['skills']
  all(role?: string): Promise<Skill[]>
}
type Skill = Awaited<ReturnType<SystemApi['skills']['list']>>['data'][number]

function onShelf<T>(
  command: Command,
  tenant: string | undefined,
  work: (shelf: Shelf) => Promise<T>,
): Promise<T> {
  const { config } = prepare(command)
  return withApp(config, async (copydesk) => {
    const system = copydesk.asSystem()
    const filter = (role?: string) => (role === undefined ? {} : { 'filter.agentRole': role })
    if (tenant === undefined) {
      const all = (role?: string) =>
        everything((page) => system.skills.listGlobal({ ...page, ...filter(role), order: 'asc' }))
      return work({ scope: 'global', skills: system.skills, all })
    }
    const { skills } = copydesk.asSystem({ tenantId: await tenantId(system, tenant) })
    const all = async (role?: string) => (await skills.list(filter(role))).data
    return work({ scope: 'tenant', skills, all })
  })
}

async function find(shelf: Shelf, given: string): Promise<Skill> {
  const found = (await shelf.all()).filter(({ id, name }) => id === given || name === given)
  const skill = found.find(({ scope }) => scope === shelf.scope) ?? found[0]
  if (skill) return skill
  throw new Failure(`There is no skill ${given}. \`copydesk skill list\` shows them.`)
}

async function list({ role, tenant }: { role?: string; tenant?: string }, command: Command): Promise<void> {
  const { output } = prepare(command)
  const skills = await onShelf(command, tenant, (shelf) => shelf.all(role))
  output.data(skills, () =>
    table(
      ['ID', 'NAME', 'SCOPE', 'BYTES', 'AGENTS'],
      skills.map(({ id, name, scope, sizeBytes, assignedAgents }) => [
        id,
        name,
        scope,
        String(sizeBytes),
        assignedAgents.join(', ') || 'none',
      ]),
      [4, 1],
    ),
  )
}

async function show(given: string, { tenant }: { tenant?: string }, command: Command): Promise<void> {
  const { output } = prepare(command)
  const skill = await onShelf(command, tenant, async (shelf) =>
    shelf.skills.get(shelf.scope, (await find(shelf, given)).id),
  )
  const { name, description, assignedAgents, references, content } = skill
  const head = `${name}\n${description}\nagents: ${assignedAgents.join(', ') || 'none'}`
  const more = references.map((one) => `\n\n--- ${one.name}\n\n${one.content}`).join('')
  output.data(skill, () => `${head}\n\n${content}${more}`)
}

interface AddOptions {
  name?: string
  description?: string
  roles?: string[]
  references?: string[]
  tenant?: string
}

async function add(file: string, options: AddOptions, command: Command): Promise<void> {
  const { name, description, roles, references = [], tenant } = options
  const { output } = prepare(command)
  const files = { file: [await opened(file)], references: await Promise.all(references.map(opened)) }
  const fields = { ...(name && { name }), ...(description && { description }) }
  const { skill, isNew } = await onShelf(command, tenant, ({ scope, skills }) =>
    skills.put(scope, { ...fields, ...(roles && { agentRoles: roles }) }, files),
  )
  output.data(skill, () => skill.id)
  const agents = skill.assignedAgents.join(', ') || 'no agent: assign it with --roles'
  output.done(`${skill.name} is ${isNew ? 'added' : 'changed'}. It is read by ${agents}.`)
}

async function remove(
  given: string,
  { tenant, yes }: { tenant?: string; yes?: true },
  command: Command,
): Promise<void> {
  const { output } = prepare(command)
  if (!(await confirmed(`This deletes the skill ${given} and its versions for good.`, yes))) return
  const skill = await onShelf(command, tenant, async (shelf) => {
    const found = await find(shelf, given)
    await shelf.skills.delete(shelf.scope, found.id)
    return found
  })
  output.data({ id: skill.id, status: 'deleted' }, () => `${skill.name} is deleted.`)
}

async function opened(path: string) {
  const bytes = await readFile(path)
  return { name: basename(path), bytes: async () => bytes }
}
