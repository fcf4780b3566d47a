/**
 * The completion script for bash: it needs bash 3.2 or newer and nothing else, works under `set -eu`, and may
 * be sourced any number of times.
 *
 * Readline splits words at characters such as `:` and `=`, and replaces only the last part with a completion.
 * The script therefore joins the parts before it calls the program, and removes what precedes the last part
 * from the completions.
 * @param name of the program, which has a command `complete`
 */
export function bashScript(name: string): string {
  return `# bash completion for ${name}

# Takes the quotes and backslashes off a word as it was typed, into REPLY, and the quote that is still open, into quote.
# Nothing in it is expanded or run.
__${name}_unquote() {
    local word=$1 char next i
    REPLY="" quote=""
    for ((i = 0; i < \${#word}; i++)); do
        char=\${word:i:1}
        if [[ -n $quote && $char == "$quote" ]]; then
            quote=""
        elif [[ -z $quote && $char == [\\'\\"] ]]; then
            quote=$char
        elif [[ $char == "\\\\" && $quote != "'" ]]; then
            next=\${word:i+1:1}
            if [[ $quote == '"' && $next != [\\"\\$\\\`\\\\] ]]; then REPLY+=$char; fi
            REPLY+=$next
            i=$((i + 1))
        else
            REPLY+=$char
        fi
    done
}

__${name}_complete() {
    local IFS=$' \\t\\n' line=\${COMP_LINE-} REPLY="" quote=""
    local rest piece bare joined head="" tail="" option="" out value i
    local words=()
    COMPREPLY=()
    line=\${line:0:\${COMP_POINT-\${#line}}}
    rest=$line
    for ((i = 0; i <= COMP_CWORD; i++)); do
        piece=\${COMP_WORDS[i]-}
        bare=\${rest#"\${rest%%[![:space:]]*}"}
        # What follows the cursor is no part of the word.
        if [[ -n $line && i -eq COMP_CWORD ]]; then piece=$bare; fi
        joined=""
        if [[ i -gt 0 && -n $line ]]; then
            if [[ $bare == "$rest" ]]; then joined=1; fi
        elif [[ i -gt 0 ]]; then
            # Without the line, a part that only such characters make belongs to what is beside it.
            if [[ $piece && ! \${piece//[:=@]/} || $tail && ! \${tail//[:=@]/} ]]; then joined=1; fi
        fi
        if [[ $joined ]]; then
            head+=$tail
        else
            __${name}_unquote "$head$tail"
            if [[ i -gt 0 ]]; then words+=("$REPLY"); fi
            head=""
        fi
        tail=$piece
        rest=\${bare#"$piece"}
    done
    if [[ -z \${tail//[:=@]/} ]]; then
        head+=$tail
        tail=""
    fi
    __${name}_unquote "$head$tail"
    # A quote that begins within a word is left to the person.
    if [[ -n $quote && \${tail:0:1} != "$quote" ]]; then return 0; fi
    words+=("$REPLY")
    if [[ $REPLY == --*=* ]]; then option=\${REPLY%%=*}=; fi
    local open=$quote
    __${name}_unquote "$head"
    head=$REPLY

    # Each line is a value, a tab and what it is; the last one is a number behind a colon.
    out=$(${name} complete -- "\${words[@]:1}" 2>/dev/null) || return 0
    if [[ \${out##*$'\\n'} != :* ]]; then return 0; fi
    while IFS= read -r value; do
        if [[ $value != *$'\\t'* ]]; then continue; fi
        value=$option\${value%%$'\\t'*}
        if [[ $value != "$head"* ]]; then continue; fi
        value=\${value#"$head"}
        if [[ $open == '"' ]]; then
            value=\${value//\\\\/\\\\\\\\}
            value=\${value//\\"/\\\\\\"}
            value=\${value//\\$/\\\\\\$}
            value=\${value//\\\`/\\\\\\\`}
        elif [[ $open == "'" ]]; then
            value=\${value//\\'/\\'\\\\\\'\\'}
        else
            printf -v value %q "$value"
        fi
        COMPREPLY+=("$value")
    done <<< "$out"
}

complete -F __${name}_complete ${name}
`
}
