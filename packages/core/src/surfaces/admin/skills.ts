import { z } from 'zod'
import { getSkill, listGlobalSkills } from '../../domain/agents/skills/queries.ts'
import {
  GlobalSkillQuery,
  maxSkillBytes,
  NewSkill,
  SkillChanges,
  SkillDetail,
  SkillFormChanges,
  SkillPage,
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
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.skills.list',
  route: 'GET /skills',
  summary: 'Skills of the installation, newest first',
  access: operators,
  query: GlobalSkillQuery,
  reply: { 200: SkillPage },
}).handle((ctx, { query }) => listGlobalSkills(ctx, query))

export const create = upload({
  id: 'admin.skills.create',
  route: 'POST /skills',
  summary: 'Add a skill in Markdown and assign it to agents',
  access: operators,
  body: NewSkill,
  files: skillFiles(maxSkillBytes.global, 1),
  reply: { 201: SkillDetail },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'skill.create',
}).handle((ctx, { body, files }) => createSkill(ctx, 'global', body, files))

export const get = endpoint({
  id: 'admin.skills.get',
  route: 'GET /skills/:skillId',
  summary: 'One skill with its text and what it refers to',
  access: operators,
  reply: { 200: SkillDetail },
}).handle((ctx, { params }) => getSkill(ctx, 'global', params.skillId))

export const change = upload({
  id: 'admin.skills.change',
  route: 'PATCH /skills/:skillId',
  summary: 'Change a skill, by a file or in JSON; agents read it again with their next run',
  access: operators,
  body: SkillFormChanges,
  json: SkillChanges,
  files: skillFiles(maxSkillBytes.global, 0),
  maxBodyBytes: 5 * 1024 * 1024,
  reply: { 200: SkillDetail },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'skill.change',
}).handle((ctx, { params, body, files }) => changeSkill(ctx, 'global', params.skillId, body, files))

export const remove = endpoint({
  id: 'admin.skills.delete',
  route: 'DELETE /skills/:skillId',
  summary: 'Delete a skill with its versions; agents lose it silently',
  access: operators,
  reply: { 204: z.void() },
  audit: 'skill.delete',
}).handle((ctx, { params }) => deleteSkill(ctx, 'global', params.skillId))

export const versions = endpoint({
  id: 'admin.skills.versions',
  route: 'GET /skills/:skillId/versions',
  summary: 'Every state that a skill has had, newest first',
  access: operators,
  ...versionList,
}).handle((ctx, { params, query }) => skillHistory(ctx, 'global', params.skillId, query))

export const version = endpoint({
  id: 'admin.skills.version',
  route: 'GET /skills/:skillId/versions/:version',
  summary: 'One of these states, and what changed since another',
  access: operators,
  ...oneVersion,
}).handle((ctx, { params, query }) => skillVersion(ctx, 'global', params.skillId, params.version, query))

export const restore = endpoint({
  id: 'admin.skills.restore',
  route: 'POST /skills/:skillId/versions/:version/restore',
  summary: 'Put a former state of a skill back; who has it stays as it is',
  access: operators,
  ...restoredVersion,
  reply: { 200: SkillDetail },
  errors: ['CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNPROCESSABLE'],
  audit: 'skill.restore',
}).handle((ctx, { params }) => restoreSkill(ctx, 'global', params.skillId, params.version))
