import { Argument, type Command } from 'commander'
import { type Context, emitText } from '../parts/options.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** The subcommands and long options of a command. `path` is the command without the program's name. */
interface Words {
  readonly path: string
  readonly commands: readonly string[]
  readonly options: readonly string[]
}

/** `completion bash|zsh|fish`: a shell script that completes commands and options, generated from the commands themselves. */
export function completionCommand(context: Context): void {
  context.program
    .command('completion')
    .description('Print a completion script, for: source <(barewitness completion bash)')
    .addArgument(new Argument('<shell>', 'Shell').choices(SHELLS))
    .action((shell: Shell) => emitText(completionFor(shell, context.program)))
}

/** The script for one shell, without former options. Names consist of letters, digits and dashes, so that none needs quoting. */
export function completionFor(shell: Shell, program: Command): string {
  const words = wordsBelow(program, '')
  return shell === 'fish' ? fish(words) : `${shell === 'zsh' ? ZSH : ''}${bash(words)}`
}

function wordsBelow(command: Command, path: string): readonly Words[] {
  const commands = command.commands.map((sub) => sub.name())
  const shown = command.options.filter(({ hidden }) => !hidden)
  const options = [...shown.flatMap(({ long }) => (long == null ? [] : [long])), '--help']
  const below = command.commands.flatMap((sub) => wordsBelow(sub, `${path} ${sub.name()}`.trim()))
  return [{ path, commands, options }, ...below]
}

const ZSH = 'autoload -U +X bashcompinit && bashcompinit\n'

// A word that is a subcommand of the path so far extends the path; any other word is a value.
const bash = (words: readonly Words[]): string => `_barewitness_words() {
  case "$1" in
${words.map(({ path, commands, options }) => `    '${path}') commands='${commands.join(' ')}'; options='${options.join(' ')}' ;;`).join('\n')}
    *) commands=''; options='' ;;
  esac
}
_barewitness() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' commands options at
  _barewitness_words ''
  for ((at = 1; at < COMP_CWORD; at++)); do
    case " $commands " in *" \${COMP_WORDS[at]} "*)
      path="\${path:+$path }\${COMP_WORDS[at]}"
      _barewitness_words "$path" ;;
    esac
  done
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$commands" -- "$current")) ;;
  esac
}
complete -o default -F _barewitness barewitness
`

const fish = (words: readonly Words[]): string => `function __barewitness_at
  set -l path
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; and continue
    if contains -- (string join ' ' $path $word) ${words.map(({ path }) => `'${path}'`).join(' ')}
      set path $path $word
    end
  end
  set -l joined (string join ' ' $path)
  test "$joined" = "$argv[1]"
end
${words
  .flatMap(({ path, commands, options }) => [
    ...commands.map((name) => `complete -c barewitness -n "__barewitness_at '${path}'" -a ${name}`),
    ...options.map((name) => `complete -c barewitness -n "__barewitness_at '${path}'" -l ${name.slice(2)}`),
  ])
  .join('\n')}
`
