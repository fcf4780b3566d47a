import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { checkInput, isRequired, UsageError } from '../operations/invocation.ts'
import type { AnyOperation, Invocation, Parameter } from '../operations/operation.ts'

type Json = Record<string, unknown>

/** The input of an operation as a tool: its JSON Schema, and the validation of values. */
export function toolInput(operation: AnyOperation): StandardSchemaWithJSON<unknown, Invocation['input']> {
  const schema = jsonSchema(operation)
  return {
    '~standard': {
      version: 1,
      vendor: 'copydesk',
      validate(value) {
        try {
          return { value: read(operation, value) }
        } catch (error) {
          if (!(error instanceof UsageError)) throw error
          return { issues: [{ message: error.message, ...(error.parameter && { path: [error.parameter] }) }] }
        }
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}

/** @throws UsageError */
function read(operation: AnyOperation, value: unknown): Invocation['input'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${operation.name} takes an object`)
  const given = Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null))
  return checkInput(operation, given)
}

function jsonSchema({ params: takes }: AnyOperation): Json {
  const parameters = Object.entries(takes)
  const properties = Object.fromEntries(parameters.map(([name, parameter]) => [name, propertyOf(parameter)]))
  const required = parameters.filter(([, parameter]) => isRequired(parameter)).map(([name]) => name)
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

function propertyOf(parameter: Parameter): Json {
  const { summary: description } = parameter
  switch (parameter.kind) {
    case 'flag':
      return { type: 'boolean', description }
    case 'number':
      return { type: 'integer', minimum: parameter.min, maximum: parameter.max, description }
    case 'choice':
    case 'choice argument':
      return { type: 'string', enum: [...parameter.choices], description }
    case 'choices':
      return {
        type: 'array',
        items: { type: 'string', enum: [...parameter.choices] },
        minItems: 1,
        description,
      }
    case 'arguments':
    case 'list':
      return { type: 'array', items: { type: 'string' }, minItems: 1, description }
    default:
      return { type: 'string', description }
  }
}
