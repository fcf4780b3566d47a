import type { Transaction } from '../../../kernel/context.ts'
import { invalid } from '../../../kernel/errors.ts'
import { DefaultAgent } from '../../agents/configuration/entities.ts'
import type { TemplateStep } from './entities.ts'

/**
 * Steps that can be planned: each number once, made by roles that exist, waiting for steps that exist and never for
 * themselves, however long the way.
 * @throws DomainError `VALIDATION_ERROR` on the first field that is wrong, such as `steps.2.dependsOn`
 */
export async function checkSteps(txn: Transaction, steps: readonly TemplateStep[]): Promise<void> {
  const byNumber = new Map<number, TemplateStep>()
  const roles = new Set((await txn.em.find(DefaultAgent, {})).map(({ role }) => role))
  for (const [index, step] of steps.entries()) {
    if (byNumber.has(step.stepNumber))
      throw invalid(`steps.${index}.stepNumber`, `There are two steps ${step.stepNumber}`)
    byNumber.set(step.stepNumber, step)
    if (!roles.has(step.agentRole))
      throw invalid(`steps.${index}.agentRole`, `There is no agent role ${step.agentRole}`)
    if (step.approvalType !== undefined && !step.approvalRequired)
      throw invalid(`steps.${index}.approvalType`, 'Only a step with approvalRequired has an approval type')
  }
  for (const [index, step] of steps.entries()) {
    const missing = step.dependsOn?.find((number) => !byNumber.has(number))
    if (missing !== undefined) throw invalid(`steps.${index}.dependsOn`, `There is no step ${missing}`)
    if (waitsForItself(step, byNumber))
      throw invalid(`steps.${index}.dependsOn`, `Step ${step.stepNumber} would wait for itself`)
  }
}

function waitsForItself(step: TemplateStep, byNumber: ReadonlyMap<number, TemplateStep>): boolean {
  const seen = new Set<number>()
  const open = [...(step.dependsOn ?? [])]
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    if (number === step.stepNumber) return true
    if (seen.has(number)) continue
    seen.add(number)
    open.push(...(byNumber.get(number)?.dependsOn ?? []))
  }
  return false
}
