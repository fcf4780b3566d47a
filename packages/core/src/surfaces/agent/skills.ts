import { SkillManifest, SkillText } from '../../domain/agents/skills/schemas.ts'
import { readSkillText, skillManifest } from '../../domain/work/runs/skills-for-agents.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { agents } from './access.ts'

export const manifest = endpoint({
  id: 'agent.skills.manifest',
  route: 'GET /skills/:agentRole',
  summary: 'What the agent can read, and when to',
  access: agents,
  reply: { 200: SkillManifest },
}).handle((ctx, { params }) => skillManifest(ctx, params.agentRole))

export const get = endpoint({
  id: 'agent.skills.get',
  route: 'GET /skills/:agentRole/:skillName',
  summary: 'One skill with what it refers to',
  access: agents,
  reply: { 200: SkillText },
}).handle((ctx, { params }) => readSkillText(ctx, params.agentRole, params.skillName))
