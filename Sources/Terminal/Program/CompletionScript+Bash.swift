extension CompletionScript {
  /// For Bash, without its package of completions.
  static func bash(_ commands: [Command], of program: String) -> [String] {
    ["# Completion of \(program) in bash, made by '\(program) completion bash'.", ""]
      + common(commands, of: program) + [""]
      + lines(
        #"""
        _\#(program)() {
          local line=${COMP_LINE:0:COMP_POINT} typed=() part last
          # Bash also cuts words at colons and equals signs; parts without a blank belong together.
          for part in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
            if [[ ${#typed[@]} -eq 0 || $line == [[:blank:]]* ]]; then typed+=(''); fi
            line=${line#"${line%%[![:blank:]]*}"}
            typed[${#typed[@]}-1]+=${line:0:${#part}}
            line=${line:${#part}}
          done
          last=$((${#typed[@]} - 1))

          local subcommand option ended place kind offers value offer quote='' shown='' asked=''
          _\#(program)_place "${typed[@]:1:last-1}"
          _\#(program)_offer "${typed[last]}"
          case $value in
            [\'\"]*)
              quote=1
              value=${value:1}
              ;;
            *)
              value=${value//\\/}
              # Bash replaces only the part after the last colon.
              if [[ $COMP_WORDBREAKS == *:* && $value == *:* ]]; then shown=${value%"${value##*:}"}; fi
              ;;
          esac
          case $kind in
            '') ;;
            programs)
              while IFS= read -r offer; do
                offers+=("$offer")
              done < <(compgen -c -- "$value")
              compopt -o default 2>/dev/null
              ;;
            files) compopt -o default 2>/dev/null ;;
            folders) compopt -o dirnames 2>/dev/null ;;
            *)
              asked=1
              while IFS= read -r offer; do
                offers+=("$offer")
              done < <(\#(program) complete "$kind" -- "$value" 2>/dev/null)
              ;;
          esac
          COMPREPLY=()
          for offer in "${offers[@]}"; do
            # The program has compared its own candidates already, ignoring case.
            if [[ -n $asked || $offer == "$value"* ]]; then
              offer=${offer:${#shown}}
              if [[ -z $quote ]]; then printf -v offer %q "$offer"; fi
              COMPREPLY+=("$offer")
            fi
          done
        }

        complete -F _\#(program) \#(program)
        """#)
  }
}
