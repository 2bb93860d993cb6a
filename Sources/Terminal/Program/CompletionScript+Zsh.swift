extension CompletionScript {
  /// For the completion system of Z shell, to be sourced or put among its functions.
  static func zsh(_ commands: [Command], of program: String) -> [String] {
    [
      "#compdef \(program)",
      "# Completion of \(program) in zsh, made by '\(program) completion zsh'.", "",
    ]
      + common(commands, of: program) + [""]
      + lines(
        #"""
        _\#(program)() {
          local subcommand option ended place kind value offer
          local -a offers
          _\#(program)_place "${(@Q)words[2,CURRENT-1]}"
          _\#(program)_offer "$PREFIX"
          if [[ $value != $PREFIX ]]; then compset -P '*='; fi
          case $kind in
            '' | programs | files | folders) ;;
            *)
              while IFS= read -r offer; do
                offers+=("$offer")
              done < <(\#(program) complete $kind 2>/dev/null)
              ;;
          esac
          compadd -M 'm:{a-zA-Z}={A-Za-z}' -a offers
          case $kind in
            programs) _command_names -e; _files ;;
            files) _files ;;
            folders) _files -/ ;;
          esac
        }

        # Among the functions of zsh this file is itself the body of the first call.
        if [[ $funcstack[1] == _\#(program) ]]; then
          _\#(program) "$@"
        else
          compdef _\#(program) \#(program)
        fi
        """#)
  }
}
