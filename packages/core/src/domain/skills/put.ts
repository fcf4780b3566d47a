import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { Skill, type SkillScope } from './entities.ts'
import { readFiles, type SkillFiles } from './read-file.ts'
import type { NewSkill, SkillDetail } from './schemas.ts'
import { changeSkill, createSkill, ownerOf } from './skills.ts'

/**
 * Takes a skill from a file: as a new text of the one that has its name, else as a new one.
 * @throws DomainError as `createSkill` and `changeSkill`
 */
export async function putSkill(
  ctx: Ctx,
  scope: SkillScope,
  form: Partial<NewSkill>,
  files: SkillFiles,
): Promise<{ skill: SkillDetail; isNew: boolean }> {
  const { source } = await readFiles(files)
  const name = form.name ?? source?.name
  const known = await command(ctx, async (cmd) =>
    name === undefined ? null : cmd.em.findOne(Skill, { tenantId: ownerOf(cmd, scope), name }),
  )
  if (known) return { skill: await changeSkill(ctx, scope, known.id, form, files), isNew: false }
  const agentRoles = form.agentRoles ?? []
  return { skill: await createSkill(ctx, scope, { ...form, agentRoles }, files), isNew: true }
}
