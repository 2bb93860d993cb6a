extension CompletionScript {
  /// For the completion system of Z shell, to be sourced or put among its functions.
  static func zsh(_ commands: [Command]) -> [String] {
    [
      "#compdef footbridge",
      "# Completion of footbridge in zsh, made by 'footbridge completion zsh'.", "",
    ]
      + common(commands) + [""]
      + lines(
        #"""
        _footbridge() {
          local subcommand option ended place kind value offer
          local -a offers
          _footbridge_place "${(@Q)words[2,CURRENT-1]}"
          _footbridge_offer "$PREFIX"
          if [[ $value != $PREFIX ]]; then compset -P '*='; fi
          if [[ $kind == boards ]]; then
            while IFS= read -r offer; do
              offers+=("$offer")
            done < <(footbridge complete boards 2>/dev/null)
          fi
          if [[ $kind == destinations ]]; then
            while IFS= read -r offer; do
              offers+=("$offer")
            done < <(footbridge complete destinations 2>/dev/null)
          fi
          compadd -M 'm:{a-zA-Z}={A-Za-z}' -a offers
          case $kind in
            programs) _command_names -e; _files ;;
            files) _files ;;
            folders) _files -/ ;;
          esac
        }

        # Among the functions of zsh this file is itself the body of the first call.
        if [[ $funcstack[1] == _footbridge ]]; then
          _footbridge "$@"
        else
          compdef _footbridge footbridge
        fi
        """#)
  }
}
