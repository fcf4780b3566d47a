import { effectiveAgent } from '../agents/effective-queries.ts'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { Run } from '../runs/entities.ts'
import { isAtWork } from '../runs/attempt.ts'
import { type AgentSkill, skillsOf } from './queries.ts'
import type { SkillManifest, SkillText } from './schemas.ts'

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
  return command(ctx, async (cmd) => {
    const run = ctx.actor.type === 'agent' ? await cmd.em.findOne(Run, { id: ctx.actor.id }) : null
    if (!run || !isAtWork(ctx, run)) throw new DomainError('UNAUTHORIZED', 'This run has ended')
    const agent = run.agentRole === role ? await effectiveAgent(cmd, run.tenantId, role) : undefined
    if (!agent) throw notFound('agent', { by: 'role' })
    return skillsOf(cmd, run.tenantId, agent.skillIds)
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
