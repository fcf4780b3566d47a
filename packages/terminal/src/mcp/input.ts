import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { checkInput, isRequired, LineFault } from '../operations/line.ts'
import type { AnyOperation, Line, Parameter } from '../operations/operation.ts'

type Json = Record<string, unknown>

/** What the tool of an operation takes, as JSON Schema and as a check of what comes. */
export function toolInput(operation: AnyOperation): StandardSchemaWithJSON<unknown, Line['input']> {
  const schema = jsonSchema(operation)
  return {
    '~standard': {
      version: 1,
      vendor: 'copydesk',
      validate(value) {
        try {
          return { value: read(operation, value) }
        } catch (error) {
          if (!(error instanceof LineFault)) throw error
          return { issues: [{ message: error.message, ...(error.parameter && { path: [error.parameter] }) }] }
        }
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}

/** @throws LineFault */
function read(operation: AnyOperation, value: unknown): Line['input'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new LineFault(`${operation.name} takes an object`)
  const given = Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null))
  return checkInput(operation, given)
}

function jsonSchema({ takes }: AnyOperation): Json {
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
