import { z } from 'zod'
import { getSkill, listSkills } from '../../domain/agents/skills/queries.ts'
import {
  maxSkillBytes,
  NewSkill,
  SkillChanges,
  SkillDetail,
  SkillFormChanges,
  SkillList,
  SkillQuery,
} from '../../domain/agents/skills/schemas.ts'
import {
  changeSkill,
  createSkill,
  deleteSkill,
  restoreSkill,
  skillHistory,
  skillVersion,
} from '../../domain/agents/skills/skills.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { upload } from '../../gateway/upload.ts'
import { skillFiles } from '../skill-files.ts'
import { oneVersion, restoredVersion, versionList } from '../version-endpoints.ts'
import { team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.skills.list',
  route: 'GET /skills',
  summary: 'The skills of the tenant and those of the installation, by name',
  access: team,
  query: SkillQuery,
  reply: { 200: SkillList },
}).handle((ctx, { query }) => listSkills(ctx, query))

export const create = upload({
  id: 'dashboard.skills.create',
  route: 'POST /skills',
  summary: 'Add a skill in Markdown and assign it to agents',
  access: team,
  body: NewSkill,
  files: skillFiles(maxSkillBytes.tenant, 1),
  reply: { 201: SkillDetail },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'skill.create',
}).handle((ctx, { body, files }) => createSkill(ctx, 'tenant', body, files))

export const get = endpoint({
  id: 'dashboard.skills.get',
  route: 'GET /skills/:skillId',
  summary: 'One skill with its text and what it refers to',
  access: team,
  reply: { 200: SkillDetail },
}).handle((ctx, { params }) => getSkill(ctx, 'tenant', params.skillId))

export const change = upload({
  id: 'dashboard.skills.change',
  route: 'PATCH /skills/:skillId',
  summary: 'Change a skill, by a file or in JSON; agents read it again with their next run',
  access: team,
  body: SkillFormChanges,
  json: SkillChanges,
  files: skillFiles(maxSkillBytes.tenant, 0),
  maxBodyBytes: 1 * 1024 * 1024,
  reply: { 200: SkillDetail },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'skill.change',
}).handle((ctx, { params, body, files }) => changeSkill(ctx, 'tenant', params.skillId, body, files))

export const remove = endpoint({
  id: 'dashboard.skills.delete',
  route: 'DELETE /skills/:skillId',
  summary: 'Delete a skill with its versions; agents lose it silently',
  access: team,
  reply: { 204: z.void() },
  audit: 'skill.delete',
}).handle((ctx, { params }) => deleteSkill(ctx, 'tenant', params.skillId))

export const versions = endpoint({
  id: 'dashboard.skills.versions',
  route: 'GET /skills/:skillId/versions',
  summary: 'Every state that a skill has had, newest first',
  access: team,
  ...versionList,
}).handle((ctx, { params, query }) => skillHistory(ctx, 'tenant', params.skillId, query))

export const version = endpoint({
  id: 'dashboard.skills.version',
  route: 'GET /skills/:skillId/versions/:version',
  summary: 'One of these states, and what changed since another',
  access: team,
  ...oneVersion,
}).handle((ctx, { params, query }) => skillVersion(ctx, 'tenant', params.skillId, params.version, query))

export const restore = endpoint({
  id: 'dashboard.skills.restore',
  route: 'POST /skills/:skillId/versions/:version/restore',
  summary: 'Put a former state of a skill back; who has it stays as it is',
  access: team,
  ...restoredVersion,
  reply: { 200: SkillDetail },
  errors: ['CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNPROCESSABLE'],
  audit: 'skill.restore',
}).handle((ctx, { params }) => restoreSkill(ctx, 'tenant', params.skillId, params.version))
