import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Rule {
  /** Files that it speaks of, and those that it leaves alone. */
  files: string
  except: RegExp
  wrong: RegExp
  message: string
}

/** What the architecture asks and the linter has no rule for. */
const rules: readonly Rule[] = [
  {
    files: 'packages/core/src/{domain,surfaces}/**/*.ts',
    except: /(^|-)queries\.ts$/,
    wrong: /\b(?:sql|tx)\.(?:all|get|run)\s*[(<]/,
    message:
      'raw SQL belongs in queries.ts or <subject>-queries.ts, where each statement takes the tenant scope',
  },
  {
    files: 'packages/core/src/surfaces/**/*.ts',
    except: /^$/,
    wrong: /\bem\.(?:find|persist|create|remove|flush|nativeUpdate|nativeDelete)/,
    message: 'a handler is one call into the domain: no entity manager here',
  },
  {
    files: 'packages/core/src/{domain,surfaces,gateway}/**/*.ts',
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
]

/** @returns one line for each place that breaks a rule, in the form of a compiler's messages */
export function sourceFaults(root: string): string[] {
  return rules.flatMap((rule) =>
    globSync(rule.files, { cwd: root })
      .filter((file) => !rule.except.test(file.split('/').pop() ?? ''))
      .flatMap((file) =>
        readFileSync(join(root, file), 'utf8')
          .split('\n')
          .flatMap((line, index) => (rule.wrong.test(line) ? [`${file}:${index + 1}: ${rule.message}`] : [])),
      ),
  )
}
