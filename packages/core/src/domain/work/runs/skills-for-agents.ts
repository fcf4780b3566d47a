import type { Ctx } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { effectiveAgent } from '../../agents/configuration/effective-queries.ts'
import { type AgentSkill, skillsOf } from '../../agents/skills/queries.ts'
import type { SkillManifest, SkillText } from '../../agents/skills/schemas.ts'
import { Run } from './entities.ts'
import { isAtWork } from './queue/lease.ts'

/**
 * What the agent of the calling run can read, and when to. Serves `GET /agent/v1/skills/:agentRole`.
 * @throws DomainError `UNAUTHORIZED` when the run has ended; `NOT_FOUND` for a role that is not the run's
 */
export async function skillManifest(ctx: Ctx, role: string): Promise<SkillManifest> {
  const skills = await ownSkills(ctx, role)
  return { manifest: skills.map(({ name, description }) => ({ name, description })) }
}

/**
 * One skill with what it refers to. Serves `GET /agent/v1/skills/:agentRole/:skillName`.
 * @throws DomainError `UNAUTHORIZED` when the run has ended; `NOT_FOUND` when the agent has no such skill, or the role is not
 *   the run's
 */
export async function readSkillText(ctx: Ctx, role: string, name: string): Promise<SkillText> {
  const found = (await ownSkills(ctx, role)).find((skill) => skill.name === name)
  if (!found) throw notFound('skill', { by: 'name' })
  const { content, references } = found
  return { name, content, ...(references.length > 0 && { references }) }
}

function ownSkills(ctx: Ctx, role: string): Promise<AgentSkill[]> {
  return transact(ctx, async (txn) => {
    const run = ctx.actor.type === 'agent' ? await txn.em.findOne(Run, { id: ctx.actor.id }) : null
    if (!run || !isAtWork(ctx, run)) throw new DomainError('UNAUTHORIZED', 'This run has ended')
    const agent = run.agentRole === role ? await effectiveAgent(txn, run.tenantId, role) : undefined
    if (!agent) throw notFound('agent', { by: 'role' })
    return skillsOf(txn, run.tenantId, agent.skillIds)
  })
}

/** All skills as one text in Markdown, each under its name; empty without skills. */
export function concatenated(skills: readonly AgentSkill[]): string {
  return skills
    .map(({ name, description, content, references }) => {
      const more = references.map((one) => `\`${one.name}\``).join(', ')
      const note = more && `\n\nFurther texts of this skill, to be fetched where they are needed: ${more}.`
      return `# Skill: ${name}\n\n${description}\n\n${content}${note}`
    })
    .join('\n\n---\n\n')
}
