import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { layerFaults, readCore } from './layers.ts'
import { nameFaults } from './names.ts'
import { sizeFaults } from './sizes.ts'

interface Rule {
  /** Files that it is about, by glob. */
  files: string | string[]
  /** Names of files that it leaves alone, or whole paths where the pattern has a slash. */
  except: RegExp
  wrong: RegExp
  message: string
}

/** What the architecture asks and the linter has no rule for. */
const rules: readonly Rule[] = [
  {
    files: 'packages/core/src/{kernel,domain,surfaces}/**/*.ts',
    except: /(^|-)queries\.ts$/,
    wrong: /\b(?:sql|tx)\.(?:all|get|run)\s*[(<]/,
    message:
      'raw SQL belongs in queries.ts or <subject>-queries.ts, where each statement takes the tenant scope',
  },
  {
    files: 'packages/core/src/{kernel,domain,surfaces,gateway,composition}/**/*.ts',
    except: /(^|-)queries\.ts$/,
    wrong: /^(?!import type ).*from '.*\/database\/read\.ts'/,
    message:
      'reads belong in queries.ts or <subject>-queries.ts, where each statement takes the tenant scope: move it there',
  },
  {
    files: 'packages/core/src/surfaces/**/*.ts',
    except: /^$/,
    wrong: /\bem\.(?:find|persist|create|remove|flush|nativeUpdate|nativeDelete)/,
    message: 'a handler is one call into the domain: no entity manager here',
  },
  {
    files: 'packages/core/src/{kernel,domain,surfaces,gateway,composition}/**/*.ts',
    except: /^$/,
    wrong: /\bz\s*\.?(?:iso\.|coerce\.date|date\(|coerce\.number|coerce\.bigint)/,
    message:
      'dates come from outside through isoDate, isoDay, isoInstant or spanEnd of platform/wire.ts, which bound them',
  },
  {
    files: 'packages/core/src/**/*.ts',
    except: /^$/,
    wrong: /\b(?:for|while) \(.*\b(?:addDays|addMonths|dayIn)\(/,
    message:
      'count the days of a range (daysBetween, daysFrom) and loop over the count: a day that is compared may never come',
  },
  {
    files: 'packages/*/src/**/*.ts',
    except: /^$/,
    wrong: /\/\/\s*(?:TODO|FIXME|HACK|XXX)\b/,
    message: 'finish it, or write down in docs/ what is not there',
  },
  {
    files: ['{packages,config,bench,examples,bin}/**/*.{ts,tsx,mjs}', 'docs/**/*.md', 'README.md'],
    // Words that people type are understood as they are; what was migrated stays as it was.
    except:
      /node_modules\/|\/dist\/|\/migrations\/|domain\/language\/|packages\/(?:language|writer)\/|config\/source-rules/,
    wrong: /\b(?:anew|whoever|mend(?:s|ed|ing)?|knock(?:s|ed|ing)?|somebody|at work)\b(?!['@])/i,
    message:
      'plain words: again, anyone who, fix, request, someone, running or in progress (docs/glossary.md)',
  },
]

/** @returns one line for each place that breaks a rule, in the form of a compiler's messages */
export function sourceFaults(root: string): string[] {
  return [...patternFaults(root), ...nameFaults(root), ...sizeFaults(root), ...layerFaults(readCore(root))]
}

function patternFaults(root: string): string[] {
  return rules.flatMap((rule) =>
    globSync(rule.files, { cwd: root })
      .filter(
        (file) => !rule.except.test(rule.except.source.includes('/') ? file : (file.split('/').pop() ?? '')),
      )
      .flatMap((file) =>
        readFileSync(join(root, file), 'utf8')
          .split('\n')
          .flatMap((line, index) => (rule.wrong.test(line) ? [`${file}:${index + 1}: ${rule.message}`] : [])),
      ),
  )
}
